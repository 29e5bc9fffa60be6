import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { publishForUpdate } from '../../support/client.js';
import { article } from '../../support/events.js';
import { generatorSite, listAddressesOf, writePost } from '../../support/generator-site.js';
import { launch, type Receiver, SITE_URL } from '../../support/receiver.js';
import { makeTempDir, removeTempDir } from '../../support/temp-dir.js';

const PLUGIN = `export default {
  name: 'wishes',
  setup: (host) => {
    host.addFilter('article.frontMatter', (data, { title }) => ({
      ...data, ...JSON.parse(title), day: new Date(0), later: undefined, act: () => 1,
      url: '/evil/', slug: 'evil', title: 'Evil', pressmark: { id: 'evil' },
    }));
    host.addFilter('article.draft', (draft) => ({ ...draft, contentHtml: draft.contentHtml + '<p>More.</p>' }));
  },
};`;

// Titles hold what the plugin sets.
const FIRST =
  '{"side":"left","none":null,"list":[null,1,{"a":null,"b":"text"}],"map":{"a":{"b":[true]},"c":null}}';
const SECOND = '{"side":null,"list":[2],"map":{"a":null}}';

const dir = makeTempDir();
let receiver: Receiver;

test.serial.before(async () => {
  generatorSite(dir, 'hugo', { config: { plugins: ['./wishes.mjs'] } });
  fs.writeFileSync(join(dir, 'wishes.mjs'), PLUGIN);
  writePost(dir, 'posts/toml.md', "+++\ntitle = 'Mine'\ndate = 2024-03-01\nside = 'mine'\n+++\nWords.\n");
  await listAddressesOf(dir, { 'posts/toml.md': '/2024/toml/' });
  receiver = await launch(dir);
});
test.after.always(async () => {
  await receiver?.kill('SIGKILL');
  removeTempDir(dir);
});

const textOf = (path: string) => fs.readFileSync(join(dir, 'content', path), 'utf8');

test('200: what plugins set stands in the front matter, without what it has no word for and without the generator’s own keys', async (t) => {
  const data = article({ slug: 'wished', title: FIRST, content_markdown: '' });
  const { url, request } = await publishForUpdate(receiver, data, { title: SECOND });
  t.is(url, `${SITE_URL}/posts/wished/`);
  const text = textOf('posts/wished.html');
  t.true(
    text.includes(
      '\nside: "left"\nlist: [1, {b: "text"}]\nmap:\n  a:\n    b: [true]\nday: "1970-01-01T00:00:00.000Z"\n',
    ),
    text,
  );
  t.notRegex(text, /evil|^(none|later|act|slug):/im);
  t.true(text.endsWith('<p>More.</p>\n') || text.endsWith('<p>More.</p>'), 'the body is the page');

  t.is((await receiver.post('article.updated', request)).status, 200);
  const updated = textOf('posts/wished.html');
  t.notRegex(updated, /^side:/m, 'null removes a key');
  t.true((await receiver.find(url)).content_html.includes('More.'));
});

test('200: what plugins set is written into TOML, too', async (t) => {
  const url = `${SITE_URL}/2024/toml/`;
  const { id, revision_id } = await receiver.find(url);
  const target = { target_id: id, target_url: url, base_revision_id: revision_id };
  const request = { ...article({ id: 'draft-toml', title: FIRST }), ...target, revision_id: 'draft-toml' };
  const { status, text } = await receiver.post('article.updated', request);
  t.is(status, 200, text);
  const file = textOf('posts/toml.md');
  t.true(file.includes('\nside = "left"\n'), file);
  t.notRegex(file, /evil|^(none|later|act|slug) /im);
});
