import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { edit, fileOf } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { STORE_ONLY } from '../../support/receiver.js';
import { startHere } from '../../support/receiver-here.js';
import { tempDir } from '../../support/temp-dir.js';

test('200: a malformed file concerns its article alone, whose id stays taken, also after a restart, until it is corrected', async (t) => {
  const dir = tempDir(t);
  const first = await startHere(t, { ...STORE_ONLY, dir });
  const [broken, sound] = [article(), article()];
  const { text, json } = await first.post('article.published', broken);
  const { url: soundUrl } = (await first.post('article.published', sound)).json;
  const { revision_id: base_revision_id } = await first.find(json.url);
  const file = fileOf(dir, broken.id);
  edit(file, '\nslug:', '\nbroken: [1, 2\nslug:');
  const theirs = fs.readFileSync(file, 'utf8');
  const request = update({ target_id: broken.id, target_url: json.url, base_revision_id });
  let receiver = first;
  for (const when of ['while it runs', 'after a restart']) {
    if (when === 'after a restart') {
      await first.close();
      receiver = await startHere(t, { dir });
      const named = receiver.log.find(({ path }) => file.endsWith(String(path)));
      t.regex(String(named?.reason), /^line \d+: /);
    }
    const { post, find } = receiver;
    t.is((await post('article.published', broken)).text, text, when);
    const lookup = await post('article.lookup', { target_url: json.url });
    t.is(lookup.status, 404);
    t.regex(lookup.json.error, /is malformed, line \d+: /);
    t.is((await post('article.updated', request)).status, 404);
    t.is((await find(soundUrl)).id, sound.id);
    t.is((await post('article.published', article())).status, 200);
    t.is(fs.readFileSync(file, 'utf8'), theirs);
  }
  edit(file, '\nbroken: [1, 2\n', '\n');
  t.is((await receiver.find(json.url)).revision_id, base_revision_id);
});

test('200: symbolic links that lead nowhere, in a circle, or to a folder of articles are in nobody’s way; other files are left alone', async (t) => {
  const dir = tempDir(t);
  const month = join(dir, 'content/articles/2026/11');
  fs.mkdirSync(month, { recursive: true });
  fs.symlinkSync('articles/2026', join(dir, 'content/latest'));
  fs.symlinkSync('gone.md', join(month, 'wasps.md'));
  fs.symlinkSync('circle.md', join(month, 'circle.md'));
  const others = { 'notes.txt': 'x', 'empty.md': '', 'plain.md': '# No front matter\n', 'a.md.bak': 'x' };
  for (const [name, text] of Object.entries(others)) fs.writeFileSync(join(dir, 'content', name), text);
  fs.mkdirSync(join(dir, 'content', 'folder.md'));
  const { post, find } = await startHere(t, { ...STORE_ONLY, dir });
  for (const slug of ['wasps', 'circle', 'bees']) {
    const data = article({ slug });
    const { status, json } = await post('article.published', data);
    t.is(status, 200);
    t.is(json.url, `https://garden.example/articles/${slug === 'bees' ? slug : `${slug}-2`}/`);
    t.is((await find(json.url)).id, data.id);
  }
  for (const [name, text] of Object.entries(others))
    t.is(fs.readFileSync(join(dir, 'content', name), 'utf8'), text);
});
