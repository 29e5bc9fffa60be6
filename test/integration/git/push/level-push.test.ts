import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { inClone, makeRemote } from '../../../support/clones.js';
import { fileOfSoon } from '../../../support/content.js';
import { article, update } from '../../../support/events.js';
import { startHere } from '../../../support/receiver-here.js';
import { tempDir } from '../../../support/temp-dir.js';
import { patienceMs, until } from '../../../support/until.js';

test('200: an article that one machine acknowledges is on the site of each, also of one that was down, and whose power failed while git wrote its files', async (t) => {
  // AVA ends a test in which nothing happens; a busy machine's remote may take only what is sent again after twenty seconds.
  t.timeout(2 * patienceMs(), 'the remote takes what is sent again');
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

  const torn = article();
  const { url: tornUrl } = (await one.post('article.published', torn)).json;
  const path = await fileOfSoon(b, torn.id);
  const whole = fs.readFileSync(await fileOfSoon(a, torn.id), 'utf8');
  await other.close();
  fs.writeFileSync(path, '');
  const { revision_id: base_revision_id } = await one.find(url);
  const content_html = `<p>In the shade.</p>\n<!-- svc:item:${data.id} -->`;
  const request = update({ target_id: data.id, target_url: url, base_revision_id }, { content_html });
  t.is((await one.post('article.updated', request)).status, 200);
  const again = await start(b);
  t.is((await again.find(tornUrl)).content_html, torn.content_html);
  t.is(fs.readFileSync(path, 'utf8'), whole);
  await onBoth(pathname, 'In the shade.');
});
