import fs from 'node:fs';
import Module from 'node:module';
import os from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { openSiteBuilder } from '../../../src/app/builder/site-builder.js';
import { searchOf } from '../../../src/app/builder/start-builder.js';
import { loadSettings } from '../../../src/config/load.js';
import { createSearch, type SearchSettings } from '../../../src/site/search.js';
import { articlesOf, withCaller } from '../../support/articles-of.js';
import { article } from '../../support/events.js';
import { filesWith } from '../../support/files-with.js';
import { startHere } from '../../support/receiver-here.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { fileOf, gatheringLog, put, SITE_URL, testSite } from './test-site.js';

/** How many pages the index has; undefined while there is none. */
function indexed(dir: string): number | undefined {
  const text = read(join(dir, 'public/pagefind/pagefind-entry.json'));
  if (text === '') return undefined;
  const entry: { languages: Record<string, { page_count: number }> } = JSON.parse(text);
  return Object.values(entry.languages).reduce((sum, { page_count }) => sum + page_count, 0);
}

const textOf = (dir: string, file: string) => fs.readFileSync(join(dir, 'public', file), 'utf8');

function read(path: string): string {
  try {
    return fs.readFileSync(path, 'utf8');
  } catch {
    return ''; // the process is gone, or the index is being replaced
  }
}

/** A site with a search page, and what opens its index. */
function searchableSite(t: ExecutionContext) {
  const site = testSite(t, { settings: { search: true } });
  const open = (settings: SearchSettings = true, more: { longestJobMs?: number } = {}) =>
    createSearch({
      outputDir: site.options.outputDir,
      stateDir: site.options.stateDir,
      siteUrl: SITE_URL,
      settings,
      pages: async () => site.builder.pages(),
      log: site.options.log,
      ...more,
    });
  return { site, open };
}

/** Has Pagefind be a program that never ends. @returns the number of its process, once it runs. */
function hangingPagefind(t: ExecutionContext, dir: string): () => Promise<string> {
  const program = join(dir, 'pagefind');
  const pid = join(dir, 'pid');
  fs.writeFileSync(program, `#!/bin/sh\necho $$ > ${pid}\nexec sleep 600\n`, { mode: 0o755 });
  process.env.PAGEFIND_EXTENDED_BINARY_PATH = program;
  t.teardown(() => delete process.env.PAGEFIND_EXTENDED_BINARY_PATH);
  return async () => {
    await until('Pagefind hangs', () => read(`/proc/${read(pid).trim()}/cmdline`).startsWith('sleep'));
    return read(pid).trim();
  };
}

// Serial: all tests of a process share its environment.
test.serial(
  'a job ends with Pagefind after its time, which the log says, and when the search is closed',
  async (t) => {
    const { site, open } = searchableSite(t);
    site.write('hive');
    await site.builder.build('all');
    const hangs = hangingPagefind(t, site.dir);
    t.false(await open(true, { longestJobMs: 500 }).index());
    t.is(site.logged.filter((line) => line.includes('the search index was not written')).length, 1);
    const search = open();
    const done = search.index();
    const pagefind = await hangs();
    t.is(os.getPriority(Number(pagefind)), 10, 'deliveries go first');
    await search.close();
    await done;
    await until('Pagefind has ended, too', () => read(`/proc/${pagefind}/cmdline`) === '');
    t.is(indexed(site.dir), undefined);
  },
);

// Serial: all tests of a process share its modules.
test.serial(
  'where Pagefind is not installed there is no search, and the log does not mention it',
  async (t) => {
    const original: unknown = Reflect.get(Module, '_resolveFilename');
    if (typeof original !== 'function') throw new Error('modules are resolved in another way');
    t.teardown(() => Reflect.set(Module, '_resolveFilename', original));
    Reflect.set(Module, '_resolveFilename', (name: string, ...rest: unknown[]) => {
      if (name.startsWith('@pagefind/')) throw new Error('not for this platform');
      return Reflect.apply(original, Module, [name, ...rest]);
    });
    const dir = tempDir(t);
    fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify({ siteUrl: SITE_URL }));
    const settings = await loadSettings(dir, {}, {});
    const logged: string[] = [];
    const log = gatheringLog(logged);
    put(join(dir, 'content/articles/hive.md'), fileOf('hive', SITE_URL, {}));
    const { builder, close } = await openSiteBuilder(settings, [], log);
    t.teardown(close);
    t.is((await builder.build('all')).failed, 0);
    const page = textOf(dir, 'articles/hive/index.html');
    t.true(page.includes('The body of hive'));
    t.false(page.includes('/search/'));
    t.false(fs.existsSync(join(dir, 'public/search')));
    if (settings.site === false) throw new Error('Pressmark builds this site');
    const search = searchOf(settings, settings.site, async () => builder.pages(), log);
    t.true(await search.index());
    await search.close();
    t.false(fs.existsSync(join(dir, 'public/pagefind')));
    t.deepEqual(logged, []);
  },
);

test('the index follows the articles and the settings, and is not made again of the same pages', async (t) => {
  const { site, open } = searchableSite(t);
  for (const slug of ['hive', 'bee']) site.write(slug);
  await site.builder.build('all');
  t.true(site.page('articles/hive/index.html').includes('data-pagefind-body'));
  t.true(site.page('search/index.html').includes('pagefind/pagefind.js'));
  t.true(await open({ maxPages: 1 }).index());
  t.is(indexed(site.dir), 1);

  await site.builder.build([site.write('swarm')]);
  t.true(await open().index());
  t.is(indexed(site.dir), 3);
  const record = join(site.dir, 'public/pagefind/pressmark.json');
  const { ino } = fs.statSync(record);
  t.true(await open().index());
  t.is(fs.statSync(record).ino, ino, 'it is of these pages already');

  fs.rmSync(join(site.dir, 'public/pagefind'), { recursive: true });
  t.true(await open().index());
  t.is(indexed(site.dir), 3, 'it was removed');
  t.true(await open(false).index());
  t.false(fs.existsSync(join(site.dir, 'public/pagefind')));
  t.deepEqual(site.logged, []);
});

test('a word of an article is in the index while the article is live', async (t) => {
  const dir = withCaller(tempDir(t));
  const receiver = await startHere(t, { dir, config: { git: false } });
  for (const word of ['okapi', 'numbat', 'tapir']) {
    const over = { content_markdown: '', content_html: `<p>A ${word}.</p>\n<!-- svc:item:${word} -->` };
    await receiver.post('article.published', article({ id: word, slug: word, title: word, ...over }));
  }
  const found = (word: string) =>
    filesWith(join(dir, 'public'), word).filter((file) => file.startsWith('pagefind/'));
  await until('all are in the index', () => indexed(dir) === 3);
  t.true(found('okapi').length > 1, 'its words and its text');
  await Promise.all([
    articlesOf(receiver).setState('okapi', 'held'),
    articlesOf(receiver).setState('numbat', 'expired'),
  ]);
  await until('two have left the index', () => indexed(dir) === 1);
  t.deepEqual([...found('okapi'), ...found('numbat')], []);
  t.true(found('tapir').length > 1);
  await articlesOf(receiver).setState('okapi', 'live');
  await until('one is back', () => indexed(dir) === 2);
  t.true(found('okapi').length > 1);
});
