import fs from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { article } from '../../support/events.js';
import { type Receiver, SITE_URL, startReceiver } from '../../support/receiver.js';
import { until } from '../../support/until.js';

const textOf = async ({ origin }: Receiver, path: string) => (await fetch(`${origin}${path}`)).text();

test('200: while a template is broken articles are received, and the last good site is served', async (t) => {
  const receiver = await startReceiver(t, { args: ['--no-live'] });
  await receiver.post('article.published', article({ slug: 'first', title: 'The first' }));
  await until(async () => (await textOf(receiver, '/')).includes('The first'));
  // From the disk: what a browser on this machine is served holds a script that reloads it.
  const homeOnDisk = () => fs.readFileSync(join(receiver.dir, 'public/index.html'), 'utf8');
  const home = homeOnDisk();

  const layout = join(receiver.dir, 'templates/layout.eta');
  fs.mkdirSync(dirname(layout));
  fs.writeFileSync(layout, '<html>\n<%= it.no.such.thing %>\n');
  await until(() => receiver.log.some(({ reason }) => String(reason).startsWith('template layout.eta:2: ')));

  const { status, json } = await receiver.post(
    'article.published',
    article({ slug: 'second', title: 'The second' }),
  );
  t.is(status, 200);
  t.like(json, { received: true, url: `${SITE_URL}/articles/second/` });
  t.is((await receiver.post('article.lookup', { target_url: `${SITE_URL}/articles/second/` })).status, 200);
  t.is((await fetch(`${receiver.origin}/healthz`)).status, 200);
  t.is(homeOnDisk(), home);
  t.true((await textOf(receiver, '/')).includes('The first'));
  t.true((await textOf(receiver, '/articles/first/')).includes('The first'));

  fs.rmSync(layout);
  await until(async () => (await textOf(receiver, '/')).includes('The second'));
  t.true((await textOf(receiver, '/articles/second/')).includes('The second'));
});
