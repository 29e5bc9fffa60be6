import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { inClone, makeRemote } from '../../../support/clones.js';
import { fileOfSoon } from '../../../support/content.js';
import { article, update } from '../../../support/events.js';
import { runHere } from '../../../support/in-process.js';
import { startHere } from '../../../support/receiver-here.js';
import { tempDir } from '../../../support/temp-dir.js';
import { patienceMs, until } from '../../../support/until.js';
import { statusOf } from './pushing-site.js';

/**
 * AVA ends a test in which nothing happens; on a busy machine the remote may answer each of several requests that are sent
 * again only after some twenty seconds.
 */
const waitForRemote = (t: ExecutionContext) =>
  t.timeout(2 * patienceMs(), 'the remote takes what is sent again');

test('200: a machine whose power failed while git wrote its files has every article again after the start', async (t) => {
  waitForRemote(t);
  const dir = makeRemote(tempDir(t)).clone('a');
  const before = await startHere(t, { ...inClone(dir), resend: true });
  const data = article();
  const { url } = (await before.post('article.published', data)).json;
  const path = await fileOfSoon(dir, data.id);
  await before.close();
  const whole = fs.readFileSync(path, 'utf8');
  fs.writeFileSync(path, '');

  const after = await startHere(t, { ...inClone(dir), resend: true });
  const answer = await after.post('article.lookup', { target_url: url });
  t.is(answer.status, 200, answer.text);
  t.is(answer.json.target.content_html, data.content_html);
  t.is(fs.readFileSync(path, 'utf8'), whole);
});

test('500: an article that the remote declines does not fail its neighbours, and is stored when the remote wants it', async (t) => {
  waitForRemote(t);
  const folder = tempDir(t);
  const clones = makeRemote(folder);
  const hook = join(clones.remote, 'hooks', 'update');
  const refused =
    '#!/bin/sh\ngit ls-tree -r --name-only "$3" | grep -q forbidden || exit 0\necho \'No such slugs here.\'\nexit 1\n';
  fs.writeFileSync(hook, refused, { mode: 0o755 });
  const dir = clones.clone('site');
  const receiver = await startHere(t, { ...inClone(dir), resend: true });
  const all = ['one', 'forbidden', 'two', 'three'].map((slug) => article({ slug }));
  const publishAll = () =>
    Promise.all(all.map((data) => receiver.post('article.published', data).then(({ status }) => status)));
  t.deepEqual(await publishAll(), [200, 500, 200, 200]);
  t.is((await receiver.post('article.published', all[1])).status, 500, 'again, by itself');
  const { isDeclined, lastError } = await statusOf(receiver);
  t.true(isDeclined);
  const said = /the git remote origin declined the push: hook declined; No such slugs here\./;
  t.regex(lastError ?? '', said);
  for (const command of ['status', 'doctor']) {
    let shown = '';
    await until(`${command} says so`, async () => {
      shown = (await runHere([command, '--dir', dir])).stdout;
      return said.test(shown);
    });
    t.regex(shown, /change the rules of the branch or the rights of this user/);
    t.notRegex(shown, /tries again/);
  }
  t.is(clones.articles().size, 3);
  await until('the log says why', () =>
    receiver.log.some(({ level, why }) => level === 50 && String(why).includes('No such slugs here.')),
  );
  fs.rmSync(hook);
  t.deepEqual(await publishAll(), [200, 200, 200, 200]);
  t.is(clones.articles().size, 4);
});

test('200: an article that one machine acknowledges is on the site of each, also of one that was down', async (t) => {
  waitForRemote(t);
  const remote = makeRemote(tempDir(t), undefined, { site: { search: false } });
  const start = (dir: string) => startHere(t, { ...inClone(dir), resend: true });
  const [a, b] = [remote.clone('a'), remote.clone('b')];
  const [one, other] = [await start(a), await start(b)];
  /** What a machine's public folder has; nothing where it has no such page. */
  const page = (dir: string, path: string) => {
    const file = join(dir, 'public', path, 'index.html');
    return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
  };
  const onBoth = (path: string, text: string) =>
    until(`both sites show ${text}`, () => [a, b].every((dir) => page(dir, path).includes(text)));

  const data = article({ title: 'Bees above the roofs' });
  const { url } = (await one.post('article.published', data)).json;
  const { pathname } = new URL(url);
  await onBoth(pathname, 'Out of the wind.');
  await onBoth('', 'Bees above the roofs');

  await other.close();
  const { revision_id: base_revision_id } = await one.find(url);
  const content_html = `<p>In the shade.</p>\n<!-- svc:item:${data.id} -->`;
  const request = update({ target_id: data.id, target_url: url, base_revision_id }, { content_html });
  t.is((await one.post('article.updated', request)).status, 200);
  await start(b);
  await onBoth(pathname, 'In the shade.');
});
