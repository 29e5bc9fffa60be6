import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { articleFiles, edit, fileOf } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { STORE_ONLY, startReceiver } from '../../support/receiver.js';

test('a malformed file is one article’s trouble: named in the log, skipped, its id stays taken', async (t) => {
  const first = await startReceiver(t, STORE_ONLY);
  const { dir } = first;
  const [broken, sound] = [article(), article()];
  const brokenAnswer = await first.post('article.published', broken);
  const soundAnswer = await first.post('article.published', sound);
  const { revision_id: base_revision_id } = await first.find(brokenAnswer.json.url);
  const path = fileOf(dir, broken.id);
  edit(path, '\nslug:', '\nbroken: [1, 2\nslug:');
  const theirs = fs.readFileSync(path, 'utf8');
  const target = { target_id: broken.id, target_url: brokenAnswer.json.url };

  const check = async ({ post, find }: typeof first) => {
    t.is((await post('article.published', broken)).text, brokenAnswer.text);
    const lookup = await post('article.lookup', { target_url: target.target_url });
    t.is(lookup.status, 404);
    t.regex(lookup.json.error, /is malformed, line \d+: /);
    t.is((await post('article.updated', update({ ...target, base_revision_id }))).status, 404);
    t.is((await find(soundAnswer.json.url)).id, sound.id);
    t.is((await post('article.published', article())).status, 200);
    t.is(fs.readFileSync(path, 'utf8'), theirs);
  };
  await check(first);
  t.is(await first.stop(), 0);

  const second = await startReceiver(t, { dir });
  const warning = second.log.find(({ msg }) => msg.startsWith('malformed article file'));
  t.is(warning?.path, path.slice(join(dir, 'content/').length));
  t.regex(String(warning?.reason), /^line \d+: /);
  await check(second);
  t.is(articleFiles(dir).length, 4);

  edit(path, '\nbroken: [1, 2\n', '\n');
  t.is(
    (await second.find(target.target_url)).revision_id,
    base_revision_id,
    'mended, it is the article again',
  );
});

test('front matter in another language is refused, never evaluated', async (t) => {
  const { dir, post } = await startReceiver(t, STORE_ONLY);
  const data = article();
  const { json } = await post('article.published', data);
  const path = fileOf(dir, data.id);
  const proof = join(dir, 'evaluated');
  const code = `require('fs').writeFileSync(${JSON.stringify(proof)}, 'x')`;
  const texts = ['js', 'javascript', 'coffee', 'json', 'toml', ' js'].map(
    (language) => `---${language}\n{ "title": ${code} }\n---\nbody\n`,
  );
  texts.push(`---\ntitle: !!js/function "function () { ${code} }"\n---\nbody\n`);
  for (const text of texts) {
    fs.writeFileSync(path, text);
    t.is((await post('article.lookup', { target_url: json.url })).status, 404, text.slice(0, 20));
    t.is((await post('article.published', article())).status, 200);
  }
  t.false(fs.existsSync(proof));
  fs.writeFileSync(join(dir, 'content', 'new.md'), texts[0] ?? '');
  await startReceiver(t, { dir });
  t.false(fs.existsSync(proof));
});

test('other files in the content folder are left alone', async (t) => {
  const { dir, post } = await startReceiver(t, STORE_ONLY);
  const files = {
    'notes.txt': 'x',
    'empty.md': '',
    'plain.md': '# No front matter\n',
    '.hidden.md': 'x',
    'a.md.bak': 'x',
  };
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(join(dir, 'content', name), text);
  fs.mkdirSync(join(dir, 'content', 'folder.md'));
  t.is((await post('article.published', article())).status, 200);
  await startReceiver(t, { dir });
  for (const [name, text] of Object.entries(files))
    t.is(fs.readFileSync(join(dir, 'content', name), 'utf8'), text);
});
