import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { launchMachine, makeRemote } from '../../../support/clones.js';
import { article, type PublishedData, update } from '../../../support/events.js';
import type { Receiver } from '../../../support/receiver.js';
import { tempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';

/** The page in a machine's public folder; nothing where it has none. */
function pageAt({ dir }: Pick<Receiver, 'dir'>, url: string): string {
  const page = join(dir, 'public', new URL(url).pathname, 'index.html');
  return fs.existsSync(page) ? fs.readFileSync(page, 'utf8') : '';
}

/** The home page; nothing where there is none yet. */
function homeOf({ dir }: Receiver): string {
  const page = join(dir, 'public', 'index.html');
  return fs.existsSync(page) ? fs.readFileSync(page, 'utf8') : '';
}

test('200: an article that one machine acknowledges is on the site of each, also of one that was down', async (t) => {
  const remote = makeRemote(tempDir(t), undefined, { site: { search: false } });
  const start = async (dir: string) => {
    const receiver = await launchMachine(dir);
    t.teardown(() => receiver.kill('SIGKILL'));
    return receiver;
  };
  const [a, b] = [await start(remote.clone('a')), await start(remote.clone('b'))];

  const publish = async (over: Partial<PublishedData>) => {
    const data = article(over);
    const { status, json } = await a.post('article.published', data);
    t.is(status, 200);
    return { id: data.id, url: json.url };
  };
  const change = async ({ id, url }: { id: string; url: string }, content: string) => {
    const { revision_id: base_revision_id } = await a.find(url);
    const content_html = `<p>${content}</p>\n<!-- svc:item:${id} -->`;
    const request = update({ target_id: id, target_url: url, base_revision_id }, { content_html });
    t.is((await a.post('article.updated', request)).status, 200);
  };

  const first = await publish({ title: 'Bees above the roofs' });
  for (const machine of [a, b]) {
    await until('the site has the page', () => pageAt(machine, first.url).includes('Out of the wind.'));
    await until('the home page lists it', () => homeOf(machine).includes('Bees above the roofs'));
  }
  await change(first, 'Behind the chimney.');
  for (const machine of [a, b])
    await until('the page has the update', () => pageAt(machine, first.url).includes('Behind the chimney.'));

  await b.kill('SIGKILL');
  const second = await publish({ title: 'Bees below the bridge' });
  await change(first, 'In the shade.');
  await until(
    'the running machine builds both pages',
    () => pageAt(a, first.url).includes('In the shade.') && pageAt(a, second.url) !== '',
  );
  t.is(pageAt(b, second.url), '', 'nobody builds the site of a machine that is down');
  const again = await start(b.dir);
  await until('the machine that was down builds the new page', () =>
    pageAt(again, second.url).includes('Out of the wind.'),
  );
  await until('the machine that was down builds the updated page', () =>
    pageAt(again, first.url).includes('In the shade.'),
  );
  await until('the machine that was down builds its home page', () =>
    homeOf(again).includes('Bees below the bridge'),
  );
  for (const { url } of [first, second])
    await until('both machines have the same page', () => pageAt(again, url) === pageAt(a, url));
});
