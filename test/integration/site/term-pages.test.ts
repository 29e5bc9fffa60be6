import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { asciiSlugText } from '../../../src/article/address/slug.js';
import { put, type TestSite, testSite } from './test-site.js';

const SOIL = `---
title: All about soil
description: What grows in it & on it
layout: garden
---
It is *alive*.
`;

/** What the owner writes of a tag or an author. */
function write(site: TestSite, path: string, text: string): void {
  put(join(site.options.content.root, path), text);
}

/** Five articles of two tags and two authors, two of them on a page. */
function gardenSite(t: Parameters<typeof testSite>[0]): TestSite {
  const site = testSite(t, { pageSize: 2 });
  for (let n = 1; n <= 5; n++)
    site.write(`a${n}`, { tags: ['Soil', 'Moss'], author: n % 2 ? 'Ada' : 'Bo', date: `2026-01-0${n}` });
  return site;
}

const description = (text: string) => `<meta name="description" content="${text}">`;

test('what the owner wrote of a tag or an author stands on its pages, and is no article', async (t) => {
  const site = gardenSite(t);
  write(site, 'tags/soil.md', SOIL);
  write(site, 'authors/ada.md', '---\n---\nAda **digs**.\n');
  write(site, 'tags/nobody-uses-it.md', 'x');
  t.is((await site.builder.build('all')).failed, 0);
  const soil = site.page('tags/soil/index.html');
  t.true(soil.includes('<h1 dir="auto">All about soil</h1>') && soil.includes('It is <em>alive</em>.'));
  t.true(soil.includes('<p class="lede" dir="auto">What grows in it &amp; on it</p>'));
  t.true(soil.includes(description('What grows in it &amp; on it')));
  const older = site.page('tags/soil/page/1/index.html');
  t.true(older.includes('<h1 dir="auto">All about soil: page 1</h1>') && !older.includes('alive'));
  t.true(older.includes(description('What grows in it &amp; on it')));
  const ada = site.page('authors/ada/index.html');
  t.true(ada.includes('<h1 dir="auto">Ada</h1>') && ada.includes('Ada <strong>digs</strong>.'));
  t.true(ada.includes(description('Articles by Ada')));
  t.true(site.page('tags/moss/index.html').includes(description('Articles about Moss')));
  t.false(site.has('tags/nobody-uses-it'));
  t.false(site.page('sitemap.xml').includes('nobody') || site.page('archive/index.html').includes('soil'));
});

test('such a file may name a template of its own', async (t) => {
  const site = gardenSite(t);
  write(site, 'tags/soil.md', SOIL);
  put(
    join(site.options.templatesDir, 'garden.eta'),
    '<%= it.tag %>: <%= it.page.title %>, <%= it.articles.length %>',
  );
  await site.builder.build('all');
  t.is(site.page('tags/soil/index.html'), 'Soil: All about soil, 3');
  t.true(site.page('tags/moss/index.html').includes('<h1 dir="auto">Moss</h1>'));
});

test('spellings of a tag are one tag with one page, and no folder of a tag begins with a dot', async (t) => {
  const site = testSite(t);
  const spellings = ['Wordpress', 'wordpress', 'WordPress ', 'Café', 'Cafe\u0301', '.NET'];
  for (const [n, tag] of spellings.entries()) site.write(`a${n}`, { tags: [tag], date: `2026-01-0${n + 1}` });
  await site.builder.build('all');
  const folders = fs
    .readdirSync(join(site.options.outputDir, 'tags'))
    .filter((name) => name !== 'index.html');
  t.deepEqual(folders.sort(), ['café', 'net', 'wordpress']);
  const page = site.page('tags/wordpress/index.html');
  for (const n of [0, 1, 2]) t.true(page.includes(`Title of a${n}`));
});

test('a tag and an author of any script have pages in it, and their addresses are percent-encoded', async (t) => {
  const site = testSite(t);
  site.write('a', { tags: ['知识库', 'cafe\u0301 NOIR'], author: 'Żaneta Ó' });
  write(site, 'tags/知识库.md', '---\ntitle: About it\n---\n');
  write(site, 'pages/über-uns.md', '---\ntitle: Us\nnavigation: true\n---\n');
  await site.builder.build('all');
  const encoded = (path: string) => encodeURI(`/${path}/`);
  for (const path of ['tags/知识库', 'tags/café-noir', 'authors/żaneta-ó', 'über-uns']) {
    const page = site.page(`${path}/index.html`);
    t.true(page.includes(`<link rel="canonical" href="https://x.example${encoded(path)}">`), path);
    t.true(site.page('articles/a/index.html').includes(`href="${encoded(path)}"`), path);
  }
  t.true(site.page('tags/知识库/index.html').includes('<h1 dir="auto">About it</h1>'));
  t.true(site.page('tags/index.html').includes(`href="${encoded('tags/知识库')}"`));
  t.true(site.page('sitemap.xml').includes(`<loc>https://x.example${encoded('über-uns')}</loc>`));
});

test('pages of tags and authors have addresses in ASCII where the config says so, and a hash keeps names apart', async (t) => {
  const site = testSite(t, { termSlug: (name) => asciiSlugText(name, 'de') });
  site.write('a', { tags: ['Größe', '知识库', '知识'], author: 'Öze', date: '2026-01-02' });
  await site.builder.build('all');
  const folders = new Set(
    Object.keys(site.output())
      .filter((name) => /^(?:tags|authors)\/.+\//.test(name))
      .map((name) => name.replace(/[0-9a-f]{8}\//, '<hash>/')),
  );
  t.deepEqual([...folders].sort(), [
    'authors/oeze/index.html',
    'tags/groesse/index.html',
    'tags/tag-<hash>/index.html',
  ]);
  t.is(Object.keys(site.output()).filter((name) => name.startsWith('tags/tag-')).length, 2);
});
