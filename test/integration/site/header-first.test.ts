import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { patternLayout } from '../../../src/generators/layout.js';
import { createBuilder } from '../../../src/site/builder/builder.js';
import type { RenderAnswer } from '../../../src/site/builder/render-pool.js';
import { contentFolder } from '../../../src/store/catalog/entry.js';
import { SITE_URL, startRenderWorker, type TestSite, testSite } from './test-site.js';

// A build from nothing reads the beginnings of files first, and the whole files for their pages. What a file says
// further down must count as if it had been read at once, as `check` does.

const END = '\n---\n<p>';

/** What a person may do to a file below its first lines, and whether it is an article afterwards. */
const EDITS: Record<string, { edit: (text: string) => string; isArticle: boolean }> = {
  nothing: { edit: (text) => text, isArticle: true },
  'a line without its indentation': {
    edit: (text) => text.replace('\n  <!-- svc:item', '\n<!-- svc:item'),
    isArticle: false,
  },
  'a control character': {
    edit: (text) => text.replace('  <p>The body', '  <p>\x01The body'),
    isArticle: false,
  },
  'a second title': { edit: (text) => text.replace(END, `\ntitle: "Another"${END}`), isArticle: false },
  'no end': { edit: (text) => text.replace(END, '\n<p>'), isArticle: false },
  'the tags moved down': {
    edit: (text) => text.replace(/\ntags: .*/, '').replace(END, `\ntags: ["Moved"]${END}`),
    isArticle: true,
  },
  'a picture added': {
    edit: (text) => text.replace(END, `\nimage: "https://x.example/p.jpg"${END}`),
    isArticle: true,
  },
  'an update added': {
    edit: (text) => text.replace(END, `\nupdated: "2026-11-05T08:00:00Z"${END}`),
    isArticle: true,
  },
  'a key of their own': { edit: (text) => text.replace(END, `\nmine: [1, 2]${END}`), isArticle: true },
  'line ends of another system': { edit: (text) => text.replaceAll('\n', '\r\n'), isArticle: true },
  'a long description': {
    edit: (text) => text.replace(/\ndescription: .*/, `\ndescription: "${'long '.repeat(2_000)}"`),
    isArticle: true,
  },
  'a cut-off file': { edit: (text) => text.slice(0, text.indexOf('\ncontent_html')), isArticle: false },
};

const slugOf = (name: string) => name.replaceAll(' ', '-');

/** Writes one article for each edit. */
function writeEdited(site: TestSite): void {
  for (const [name, { edit }] of Object.entries(EDITS)) {
    const path = join(site.options.content.root, site.write(slugOf(name), { title: name }));
    fs.writeFileSync(path, edit(fs.readFileSync(path, 'utf8')));
  }
}

function assertAsReadWhole(t: Parameters<typeof testSite>[0], site: TestSite): void {
  const sitemaps = Object.entries(site.output()).filter(([file]) => file.startsWith('sitemap'));
  const listed = sitemaps.map(([, text]) => text).join('');
  for (const [name, { isArticle }] of Object.entries(EDITS)) {
    t.is(site.has(`articles/${slugOf(name)}/index.html`), isArticle, name);
    t.is(listed.includes(`/articles/${slugOf(name)}/`), isArticle, name);
    if (!isArticle)
      t.true(
        site.logged.some((line) => line.includes(slugOf(name)) && line.includes('malformed')),
        name,
      );
  }
  t.true(site.page('tags/moved/index.html').includes('the tags moved down'));
  t.true(site.page('index.html').includes('a key of their own'));
}

test('a build from nothing makes what reading every file whole first would have made', async (t) => {
  const site = testSite(t);
  writeEdited(site);
  t.is((await site.builder.buildAll()).failed, 0);
  assertAsReadWhole(t, site);
  t.deepEqual(await site.builder.check(), []);
  const again = testSite(t, { dir: site.dir });
  t.is((await again.builder.buildAll()).written, 0);
  t.deepEqual(again.output(), site.output());
});

test('a build from nothing in several threads makes what reading every file whole first would have made', async (t) => {
  const site = testSite(t);
  writeEdited(site);
  // Three helpers get up to five batches each, here of one file, before this thread takes one: all files are theirs.
  const byHeader: string[] = [];
  const spawnRenderWorker = () => {
    const helper = startRenderWorker(site.options);
    helper.on('message', (answer: RenderAnswer) => {
      if (answer.kind === 'headers') byHeader.push(answer.entries);
    });
    return helper;
  };
  const builder = createBuilder({ ...site.options, spawnRenderWorker, renderWorkers: 3, poolFrom: 1 });
  t.is((await builder.buildAll()).failed, 0);
  t.is(byHeader.flatMap((entries) => JSON.parse(entries)).length, Object.keys(EDITS).length);
  assertAsReadWhole(t, site);
  t.deepEqual(await builder.check(), []);
});

test('the log names a file as malformed also where it would have no page on this site', async (t) => {
  const site = testSite(t);
  const edit = EDITS['a second title']?.edit ?? String;
  const path = join(
    site.options.content.root,
    site.write('stranger', { url: 'https://other.example/stranger/' }),
  );
  fs.writeFileSync(path, edit(fs.readFileSync(path, 'utf8')));
  site.write('friend');
  await site.builder.buildAll();
  t.is(site.logged.length, 1);
  t.true(site.logged[0]?.includes('malformed'));
});

test('an article whose URL a malformed file seemed to have gets its page in the same build', async (t) => {
  const site = testSite(t);
  const edit = EDITS['a second title']?.edit ?? String;
  const path = join(
    site.options.content.root,
    site.write('first', { title: 'First', date: '2026-11-01T08:00:00Z' }),
  );
  fs.writeFileSync(path, edit(fs.readFileSync(path, 'utf8')));
  site.write('second', { title: 'Second', url: `${SITE_URL}/articles/first/` });
  await site.builder.buildAll();
  t.true(site.page('articles/first/index.html').includes('Second'));
  t.deepEqual(await site.builder.check(), []);
});

test('the page of an article stays where its file turns out to be malformed in a build with other settings', async (t) => {
  const site = testSite(t);
  const file = join(site.options.content.root, site.write('a', { title: 'As it was' }));
  site.write('b');
  await site.builder.buildAll();
  fs.writeFileSync(
    file,
    (EDITS['no end']?.edit ?? String)(fs.readFileSync(file, 'utf8').replace('As it was', 'New')),
  );
  const again = testSite(t, { dir: site.dir, settings: { title: 'Another title' } });
  const { content } = again.options;
  const layout = patternLayout(SITE_URL, 'articles/:slug.md', '/elsewhere/:slug/');
  await createBuilder({ ...again.options, content: contentFolder(content.root, layout) }).buildAll();
  t.true(again.page('articles/a/index.html').includes('As it was'));
  t.true(again.page('index.html').includes('As it was'));
  t.true(again.logged.some((line) => line.includes('malformed')));
});
