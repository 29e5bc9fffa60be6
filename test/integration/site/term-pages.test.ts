import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { asciiSlugText } from '../../../src/article/address/slug.js';
import { put, type TestSite, testSite } from './test-site.js';

const SOIL = `---
title: All about soil
description: What grows in it & on it
---
It is *alive*.
`;

/** What the owner writes of a tag or an author. */
function write(site: TestSite, path: string, text: string): void {
  put(join(site.options.content.root, path), text);
}

/** The folders below a folder of the output. */
const foldersIn = (site: TestSite, folder: string) =>
  fs
    .readdirSync(join(site.options.outputDir, folder))
    .filter((name) => name !== 'index.html')
    .sort();

test('what the owner wrote of a tag or an author stands on its pages, in a template of its own, and is no article', async (t) => {
  const site = testSite(t, { pageSize: 2 });
  for (let n = 1; n <= 5; n++)
    site.write(`a${n}`, { tags: ['Soil', 'Moss'], author: n % 2 ? 'Ada' : 'Bo', date: `2026-01-0${n}` });
  write(site, 'tags/soil.md', SOIL);
  write(site, 'tags/moss.md', '---\nlayout: garden\n---\nIt is old.\n');
  write(site, 'tags/nobody-uses-it.md', 'x');
  put(
    join(site.options.templatesDir, 'garden.eta'),
    '<%= it.tag %>: <%~ it.page.html.trim() %> <%= it.articles.length %>',
  );
  t.is((await site.builder.build('all')).failed, 0);
  const soil = site.page('tags/soil/index.html');
  const description = '<meta name="description" content="What grows in it &amp; on it">';
  t.true(soil.includes('<h1 dir="auto">All about soil</h1>') && soil.includes('It is <em>alive</em>.'));
  t.true(
    soil.includes('<p class="lede" dir="auto">What grows in it &amp; on it</p>') &&
      soil.includes(description),
  );
  const older = site.page('tags/soil/page/1/index.html');
  t.true(older.includes('<h1 dir="auto">All about soil: page 1</h1>') && older.includes(description));
  t.false(older.includes('alive'));
  t.is(site.page('tags/moss/index.html'), 'Moss: <p>It is old.</p> 3');
  t.true(site.page('authors/ada/index.html').includes('<meta name="description" content="Articles by Ada">'));
  t.false(site.has('tags/nobody-uses-it'));
  t.false(site.page('sitemap.xml').includes('nobody') || site.page('archive/index.html').includes('soil'));
});

test('spellings of a tag are one tag with one page; of names with one slug the older has it; no folder begins with a dot; addresses in any script are percent-encoded', async (t) => {
  const site = testSite(t);
  site.write('a', { tags: ['知识库', 'cafe\u0301 NOIR'], author: 'Żaneta Ó' });
  write(site, 'tags/知识库.md', '---\ntitle: About it\n---\n');
  write(site, 'pages/über-uns.md', '---\ntitle: Us\nnavigation: true\n---\n');
  const tags = ['Wordpress', 'wordpress', 'WordPress ', 'Café', 'Cafe\u0301', '.NET', 'C', 'C++', '?', ''];
  for (const [n, tag] of tags.entries()) site.write(`a${n}`, { tags: [tag], date: `2026-01-${10 + n}` });
  await site.builder.build('all');
  t.deepEqual(
    foldersIn(site, 'tags').map((name) => name.replace(/[0-9a-f]{8}$/, '<hash>')),
    ['c', 'c-<hash>', 'café', 'café-noir', 'net', 'tag-<hash>', 'wordpress', '知识库'],
  );
  const page = site.page('tags/wordpress/index.html');
  for (const n of [0, 1, 2]) t.true(page.includes(`Title of a${n}`));
  t.true(site.page('tags/c/index.html').includes('<h1 dir="auto">C</h1>'));
  const [, other = ''] = /href="\/(tags\/c-\w+\/)" rel="tag"/.exec(site.page('articles/a7/index.html')) ?? [];
  t.true(site.page(`${other}index.html`).includes('<h1 dir="auto">C++</h1>'));
  for (const path of ['tags/知识库', 'tags/café-noir', 'authors/żaneta-ó', 'über-uns']) {
    const encoded = encodeURI(`/${path}/`);
    const canonical = `<link rel="canonical" href="https://x.example${encoded}">`;
    t.true(site.page(`${path}/index.html`).includes(canonical), path);
    t.true(site.page('articles/a/index.html').includes(`href="${encoded}"`), path);
  }
  t.true(site.page('tags/知识库/index.html').includes('<h1 dir="auto">About it</h1>'));
  t.true(site.page('sitemap.xml').includes(`<loc>https://x.example${encodeURI('/über-uns/')}</loc>`));
});

test('pages of tags and authors have addresses in ASCII where the config says so, and a hash keeps names apart', async (t) => {
  const site = testSite(t, { termSlug: (name) => asciiSlugText(name, 'de') });
  site.write('a', { tags: ['Größe', '知识库', '知识'], author: 'Öze' });
  await site.builder.build('all');
  t.regex(foldersIn(site, 'tags').join(' '), /^groesse tag-[0-9a-f]{8} tag-[0-9a-f]{8}$/);
  t.deepEqual(foldersIn(site, 'authors'), ['oeze']);
});
