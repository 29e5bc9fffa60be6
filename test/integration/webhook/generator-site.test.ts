import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { readFrontMatter } from '../../../src/article/front-matter/read.js';
import { publishForUpdate } from '../../support/client.js';
import { edit } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { generatorSite, listAddressesOf, writePost } from '../../support/generator-site.js';
import { HOSTILE_TEXTS } from '../../support/hostile.js';
import { SITE_URL } from '../../support/receiver.js';
import { launchHere, type ReceiverHere } from '../../support/receiver-here.js';
import { makeTempDir, removeTempDir } from '../../support/temp-dir.js';

// The contract on a site that Hugo builds; what depends on the generator is in the tests of its definition.
// All tests are serial, as the last ones change the addresses of all posts.

const postOf = (title: string, more = '') =>
  `---\ntitle: ${title}\ndate: 2024-03-01\n${more}---\nThe old words.\n`;
const POSTS = {
  'posts/yaml.md': postOf('In YAML # mine', 'weight: 3\n'),
  'posts/spelled.md': postOf('Spelled', 'author: Zoë Elm\ntags: [Top soil]\n'),
  'posts/page.html': '---\ntitle: In HTML\ndate: 2024-03-01\n---\n<p>The old words.</p>\n',
  'posts/unlisted.md': postOf('Unlisted'),
  'posts/draft.md': postOf('A draft', 'draft: true\n'),
  'posts/future.md': postOf('Tomorrow').replace('2024', '2999'),
  'posts/Taken.md': postOf('Taken'),
  'posts/taken-file.md': postOf('Taken', 'slug: elsewhere\n'),
  'posts/taken-folder/index.md': postOf('Taken', 'slug: elsewhere-3\n'),
  'notes/taken-elsewhere.md': postOf('Taken'),
  'notes/listed-there.md': postOf('Taken'),
  'posts/twin-a.md': postOf('A twin'),
  'posts/twin-b.md': postOf('A twin'),
};

const LISTED = {
  'posts/yaml.md': '/2024/yaml/',
  'posts/page.html': '/2024/page/',
  'posts/taken-file.md': '/posts/elsewhere/',
  'posts/taken-folder/index.md': '/posts/elsewhere-3/',
  'notes/listed-there.md': '/posts/listed-there-already/',
  'posts/twin-a.md': '/posts/twin/',
  'posts/twin-b.md': '/posts/twin/',
} as const;

const PLUGIN = `export default {
  name: 'wishes',
  receiver: (host) => {
    host.addFilter('article.frontMatter', (data, { title }) => !title.startsWith('{') ? data : ({
      ...data, ...JSON.parse(title), day: new Date(0), later: undefined, act: () => 1,
      url: '/evil/', slug: 'evil', title: 'Evil', pressmark: { id: 'evil' },
    }));
    host.addFilter('article.draft', (draft) =>
      !draft.title.startsWith('{') ? draft : { ...draft, contentHtml: draft.contentHtml + '<p>More.</p>' });
  },
};`;

// Titles that are JSON hold what the plugin sets.
const FIRST =
  '{"side":"left","none":null,"list":[null,1,{"a":null,"b":"text"}],"map":{"a":{"b":[true]},"c":null}}';
const SECOND = '{"side":null,"list":[2],"map":{"a":null}}';

const dir = makeTempDir();
let receiver: ReceiverHere;

test.serial.before(async () => {
  const generator = { name: 'hugo', keys: { author: 'author' } };
  generatorSite(dir, 'hugo', { posts: POSTS, config: { generator, plugins: ['./wishes.mjs'] } });
  fs.writeFileSync(join(dir, 'wishes.mjs'), PLUGIN);
  await listAddressesOf(dir, LISTED);
  receiver = await launchHere(dir);
});
test.after.always(async () => {
  await receiver?.close();
  removeTempDir(dir);
});

const at = (address: string) => `${SITE_URL}${address}`;
const textOf = (path: string) => fs.readFileSync(join(dir, 'content', path), 'utf8');

test.serial(
  '200: an edit by hand changes the revision; the stale update is refused, the next one keeps the edited keys; tags and author are spelled as the site’s posts spell them',
  async (t) => {
    const { post, find } = receiver;
    const names = () => readFrontMatter(textOf('posts/by-hand.md')).data;
    const data = article({
      slug: 'by-hand',
      author: 'ZOE\u0308  ELM\ufeff',
      tags: ['TOP  soil', '.net', 'Moss'],
    });
    const { url, request } = await publishForUpdate(receiver, data);
    t.like(names(), { author: 'Zoë Elm', tags: ['Top soil', 'Moss'] });
    const file = join(dir, 'content/posts/by-hand.md');
    edit(file, '---\n', '---\nweight: 7 # mine\n');
    edit(file, '\n\nOut of the wind.', '\n\nOut of the *wind*.');
    const { revision_id, content_html } = await find(url);
    t.not(revision_id, request.base_revision_id);
    t.true(content_html.includes('<em>wind</em>'), content_html);
    t.true(content_html.includes(`<!-- svc:item:${data.id} -->`), content_html);
    t.is((await post('article.updated', request)).status, 409);
    const next = { ...request, base_revision_id: revision_id, author: 'zoë elm', tags: ['MOSS'] };
    t.is((await post('article.updated', next)).status, 200);
    t.true(textOf('posts/by-hand.md').includes('weight: 7 # mine\n'));
    t.like(names(), { author: 'Zoë Elm', tags: ['Moss'] });
    t.is((await find(url)).content_html, request.content_html);
  },
);

for (const [path, address] of Object.entries(LISTED).slice(0, 2)) {
  const url = at(address);
  test.serial(
    `200: ${path}, which a person wrote, is found at its listed URL and updated twice, which pins it`,
    async (t) => {
      const { post, find } = receiver;
      const before = textOf(path);
      let { id, revision_id, title } = await find(url);
      t.true(before.includes(title));
      for (const words of ['The first new words.', 'The second new words.']) {
        const target = { target_id: id, target_url: url, base_revision_id: revision_id };
        const text = { content_markdown: words, content_html: `<p>${words}</p>` };
        const request = update(target, { title: `Title with ${words}`, ...text });
        t.is((await post('article.updated', request)).status, 200);
        t.is((await post('article.updated', request)).status, 200, 'a retry');
        t.true(textOf(path).includes(words));
        const found = await find(url);
        const { title: newTitle, content_html } = request;
        t.like(found, { url, revision_id: request.revision_id, title: newTitle, content_html });
        ({ id, revision_id } = found);
      }
      const after = textOf(path);
      t.true(after.includes('2024-03-01'), 'its date stays');
      for (const own of [' # mine', 'weight']) t.is(after.includes(own), before.includes(own));
      t.is(/^url: "(.*)"$/m.exec(after)?.[1], address, 'no update can move it');
    },
  );
}

test.serial(
  '200: what plugins set stands in the front matter, without what it has no word for and without the generator’s own keys',
  async (t) => {
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
  },
);

test.serial(
  '200: of an article whose Markdown would take too long to render, the site gets the HTML',
  async (t) => {
    const content_markdown = HOSTILE_TEXTS['lines in nested quotes']?.(200_000) ?? '';
    const data = article({ slug: 'endless', content_html: '<p>As HTML.</p>', content_markdown });
    t.is((await receiver.post('article.published', data)).status, 200);
    t.true(textOf('posts/endless.html').includes('<p>As HTML.</p>'));
  },
);

test.serial(
  '404: a post without a listed URL, a draft, one of the future and two at one URL are not resolved, and the answer says why',
  async (t) => {
    for (const [slug, reason] of [
      ['unlisted', 'posts/unlisted.md has no listed URL'],
      ['draft', 'posts/draft.md is a draft'],
      ['future', 'posts/future.md has a date in the future'],
    ] as const) {
      const url = at(`/posts/${slug}/`);
      const { status, json } = await receiver.post('article.lookup', { target_url: url });
      t.is(status, 404);
      t.is(json.error, `target_url: there is no article at ${JSON.stringify(url)}; ${reason}`);
      const target = { target_id: `posts/${slug}.md`, target_url: url, base_revision_id: 'any' };
      const refused = await receiver.post('article.updated', update(target));
      t.is(refused.status, 404);
      t.true(refused.json.error.includes(reason), refused.json.error);
      t.is(textOf(`posts/${slug}.md`), POSTS[`posts/${slug}.md`]);
    }
    const { status, json } = await receiver.post('article.lookup', { target_url: at('/posts/twin/') });
    t.is(status, 404);
    t.regex(json.error, /^target_url: 2 articles are at /);
  },
);

test.serial(
  "200: a new article's slug is numbered where a person's post has its place or its URL",
  async (t) => {
    for (const [slug, why] of [
      ['taken-file', 'its file'],
      ['taken-folder', 'a folder of its name'],
      ['taken', 'a file that differs in case alone, whose URL is unknown'],
      ['taken-elsewhere', 'a post of unknown URL in another folder'],
      ['listed-there-already', 'a URL that is listed for another post'],
    ] as const) {
      const data = article({ slug });
      const { json } = await receiver.post('article.published', data);
      t.is(json.url, at(`/posts/${slug}-2/`), why);
      t.true(textOf(`posts/${slug}-2.md`).includes(data.id));
      t.is((await receiver.find(json.url)).id, data.id);
    }
  },
);

const isFound = async (address: string) =>
  (await receiver.post('article.lookup', { target_url: at(address) })).status === 200;

test.serial(
  '404: a post is found from the lookup after it is listed on, and not when its date was changed since',
  async (t) => {
    const path = 'later/dated.md';
    const address = '/later/2024/dated/';
    writePost(dir, path, postOf('Dated'));
    t.false(await isFound(address));
    await listAddressesOf(dir, { ...LISTED, [path]: address });
    t.true(await isFound(address));
    writePost(dir, path, postOf('Dated').replace('2024', '2025'));
    t.false(await isFound(address));
  },
);

test.serial(
  '503: a new article whose URL the site would not have is refused with the rule that the posts follow',
  async (t) => {
    const contradiction = 'articles.permalink is "/posts/:slug/", but all 2 posts have other addresses';
    const stored = article({ slug: 'before' });
    t.is((await receiver.post('article.published', stored)).status, 200);
    await listAddressesOf(dir, LISTED, { contradiction });
    const refused = await receiver.post('article.published', article({ slug: 'after' }));
    t.is(refused.status, 503);
    t.is(refused.json.error, contradiction);
    t.is((await receiver.post('article.published', stored)).status, 200, 'a redelivery');
    await listAddressesOf(dir, LISTED);
    t.is((await receiver.post('article.published', article({ slug: 'after' }))).status, 200);
  },
);

test.serial('404: after a restart with another configuration, addresses must be listed again', async (t) => {
  const address = '/2024/unpinned/';
  writePost(dir, 'notes/unpinned.md', postOf('Unpinned'));
  await listAddressesOf(dir, { 'notes/unpinned.md': address });
  t.true(await isFound(address));
  fs.appendFileSync(join(dir, 'hugo.toml'), "timeZone = 'Asia/Tokyo'\n");
  t.true(await isFound(address), 'the pages are as they were before the next build');
  await receiver.close();
  receiver = await launchHere(dir);
  t.false(await isFound(address));
});
