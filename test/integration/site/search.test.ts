import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import Module from 'node:module';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { openSearch } from '../../../src/app/builder/open-search.js';
import { openSiteBuilder } from '../../../src/app/builder/site-builder.js';
import { loadSettings } from '../../../src/config/load.js';
import { createSearch, type SearchSettings } from '../../../src/site/search/search.js';
import { article } from '../../support/events.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { fileOf, gatheringLog, put, SITE_URL, testSite } from './test-site.js';

/** How many pages the index has; undefined while there is none. */
function indexed(dir: string): number | undefined {
  const path = join(dir, 'public/pagefind/pagefind-entry.json');
  if (!fs.existsSync(path)) return undefined;
  const entry: { languages: Record<string, { page_count: number }> } = JSON.parse(
    fs.readFileSync(path, 'utf8'),
  );
  return Object.values(entry.languages).reduce((sum, { page_count }) => sum + page_count, 0);
}

const textOf = (dir: string, file: string) => fs.readFileSync(join(dir, 'public', file), 'utf8');
const complaints = ({ log }: Receiver) =>
  log.filter(({ level, plugin }) => level >= 40 && plugin === 'site').map(({ msg }) => msg);

/** Keeps every job of a site waiting. */
async function holdLock(t: ExecutionContext, dir: string): Promise<() => Promise<void>> {
  fs.mkdirSync(join(dir, '.pressmark/search'), { recursive: true });
  const holder = spawn('flock', [join(dir, '.pressmark/search/lock'), 'cat'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const release = async () => {
    if (holder.exitCode !== null) return;
    holder.stdin.end();
    await once(holder, 'exit');
  };
  t.teardown(release);
  holder.stdin.write('held');
  await once(holder.stdout, 'data');
  return release;
}

/** The indexing processes that a process has started. */
function jobsOf(parent: number | undefined): string[] {
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      const commandLine = read(`/proc/${pid}/cmdline`);
      return commandLine.includes('search-process.js') && statOf(pid)[1] === String(parent);
    });
}

/** The fields of /proc/<pid>/stat behind the program's name: state, parent, … */
function statOf(pid: string): string[] {
  return read(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ');
}

function read(path: string): string {
  try {
    return fs.readFileSync(path, 'utf8');
  } catch {
    return ''; // the process is gone
  }
}

/** A site with a search page, and what keeps its index. */
function searchableSite(t: ExecutionContext) {
  const site = testSite(t, { settings: { search: true } });
  let wanted: SearchSettings = true;
  const open = (more: { longestJobMs?: number } = {}) =>
    createSearch({
      outputDir: site.options.outputDir,
      stateDir: site.options.stateDir,
      settings: () => wanted,
      listPages: site.builder.newestPages,
      log: site.options.log,
      ...more,
    });
  return {
    site,
    open,
    want: (settings: SearchSettings) => (wanted = settings),
  };
}

// Serial: it looks at the jobs of this process.
test.serial('a job comes last for processor and memory, and ends when the search is closed', async (t) => {
  const { site, open } = searchableSite(t);
  site.write('hive');
  await site.builder.buildAll();
  await holdLock(t, site.dir);
  const search = open();
  const outcome = search.index();
  await until('one process indexes', () => jobsOf(process.pid).length === 1);
  const [job = ''] = jobsOf(process.pid);
  await until('the job has the lowest priority', () => statOf(job)[16] === '19');
  await until('the job is the first to go when memory runs out', () => {
    return read(`/proc/${job}/oom_score_adj`).trim() === '1000';
  });
  await search.close();
  t.is(await outcome, undefined);
  t.is(read(`/proc/${job}/cmdline`), '');
  t.is(indexed(site.dir), undefined);
});

// Serial: all tests of a process share its environment.
test.serial('a Pagefind that hangs is ended with its job', async (t) => {
  const { site, open } = searchableSite(t);
  site.write('hive');
  await site.builder.buildAll();
  const program = join(site.dir, 'pagefind');
  const pid = join(site.dir, 'pid');
  fs.writeFileSync(program, `#!/bin/sh\necho $$ > ${pid}\nexec sleep 600\n`, { mode: 0o755 });
  process.env.PAGEFIND_EXTENDED_BINARY_PATH = program;
  t.teardown(() => delete process.env.PAGEFIND_EXTENDED_BINARY_PATH);
  const search = open();
  const outcome = search.index();
  await until('Pagefind hangs', () => read(`/proc/${read(pid).trim()}/cmdline`).startsWith('sleep'));
  await search.close();
  t.is(await outcome, undefined);
  t.is(read(`/proc/${read(pid).trim()}/cmdline`), '');
});

// Serial: all tests of a process share its environment.
test.serial('where no program takes locks, a lone build has its index all the same', async (t) => {
  const { site, open } = searchableSite(t);
  site.write('hive');
  await site.builder.buildAll();
  const { PATH } = process.env;
  t.teardown(() => (process.env.PATH = PATH));
  process.env.PATH = tempDir(t);
  t.is((await open().index())?.kind, 'written');
  t.deepEqual(site.logged, []);
});

// Serial: all tests of a process share its modules.
test.serial(
  'where Pagefind’s program does not run there is no search, and the log does not mention it',
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
    t.is((await builder.buildAll()).failed, 0);
    const page = textOf(dir, 'articles/hive/index.html');
    t.true(page.includes('The body of hive'));
    t.false(page.includes('/search/'));
    t.false(fs.existsSync(join(dir, 'public/search')));
    t.is(await openSearch(() => settings, builder.newestPages, log).index(), undefined);
    t.false(fs.existsSync(join(dir, 'public/pagefind')));
    t.deepEqual(logged, []);
  },
);

test('the index follows the articles and the settings, and is not made again of the same pages', async (t) => {
  const { site, open, want } = searchableSite(t);
  const search = open();
  for (const slug of ['hive', 'bee']) site.write(slug);
  await site.builder.buildAll();
  t.true(site.page('articles/hive/index.html').includes('data-pagefind-body'));
  t.true(site.page('search/index.html').includes('pagefind/pagefind.js'));
  want({ maxPages: 1 });
  t.like(await search.index(), { kind: 'written', pages: 1 });
  t.is(indexed(site.dir), 1);

  want(true);
  await site.builder.buildChanged([site.write('swarm')]);
  t.like(await search.index(), { kind: 'written', pages: 3 });
  t.is(indexed(site.dir), 3);
  const { mtimeMs } = fs.statSync(join(site.dir, 'public/pagefind/pressmark.json'));
  t.deepEqual(await search.index(), { kind: 'current' });
  t.deepEqual(await open().index(), { kind: 'current' }, 'also after a start');
  t.is(fs.statSync(join(site.dir, 'public/pagefind/pressmark.json')).mtimeMs, mtimeMs);

  put(join(site.dir, 'public/pagefind/mine.txt'), 'mine');
  want(false);
  t.deepEqual(await search.index(), { kind: 'removed' });
  t.deepEqual(fs.readdirSync(join(site.dir, 'public/pagefind')), ['mine.txt']);
  t.is(await search.index(), undefined);
  t.deepEqual(site.logged, []);
});

test('an index that is not wanted any more is removed when no other receiver is at work on it', async (t) => {
  const { site, open, want } = searchableSite(t);
  site.write('hive');
  await site.builder.buildAll();
  const search = open();
  t.is((await search.index())?.kind, 'written');
  const release = await holdLock(t, site.dir);
  want(false);
  const removal = search.index();
  t.is(indexed(site.dir), 1);
  await release();
  t.deepEqual(await removal, { kind: 'removed' });
  t.false(fs.existsSync(join(site.dir, 'public/pagefind')));

  want(true);
  t.is((await search.index())?.kind, 'written');
  await holdLock(t, site.dir);
  want(false);
  const ended = search.index();
  await search.close();
  t.is(await ended, undefined);
  t.is(indexed(site.dir), 1);
});

test('a job brings nothing back of a site whose folder was removed while it started', async (t) => {
  const { site, open } = searchableSite(t);
  site.write('hive');
  await site.builder.buildAll();
  const outcome = open().index();
  fs.rmSync(site.dir, { recursive: true });
  t.is((await outcome)?.kind, 'failed');
  t.false(fs.existsSync(site.dir));
});

test('a job that hangs is ended, and the log names it once', async (t) => {
  const { site, open } = searchableSite(t);
  site.write('hive');
  await site.builder.buildAll();
  await holdLock(t, site.dir);
  const search = open({ longestJobMs: 50 });
  for (const _ of [1, 2]) t.is((await search.index())?.kind, 'failed');
  const complaints = site.logged.filter((line) => line.includes('Pagefind did not end within'));
  t.is(complaints.length, 1);
});

test('an index of which a file was removed is made again', async (t) => {
  const { site, open } = searchableSite(t);
  site.write('hive');
  await site.builder.buildAll();
  const search = open();
  t.is((await search.index())?.kind, 'written');
  fs.rmSync(join(site.dir, 'public/pagefind'), { recursive: true });
  t.is((await search.index())?.kind, 'written');
  t.is(indexed(site.dir), 1);
});

test('a page that was missing in the output is in the index once it is there again', async (t) => {
  const { site, open } = searchableSite(t);
  for (const slug of ['hive', 'bee']) site.write(slug);
  await site.builder.buildAll();
  const page = join(site.dir, 'public/articles/bee/index.html');
  fs.renameSync(page, `${page}.gone`);
  const search = open();
  t.is((await search.index())?.kind, 'written');
  t.is(indexed(site.dir), 1);
  fs.renameSync(`${page}.gone`, page);
  t.is((await search.index())?.kind, 'written');
  t.is(indexed(site.dir), 2);
  t.is((await search.index())?.kind, 'current');
});

test('an index that somebody else made stays, and the log says so once', async (t) => {
  const { site, open } = searchableSite(t);
  put(join(site.dir, 'public/pagefind/pagefind-entry.json'), 'theirs');
  await site.builder.buildAll();
  const search = open();
  search.built();
  await until('the log names the index that stays', () =>
    site.logged.some((line) => line.includes('kept a search index that Pressmark did not write')),
  );
  t.deepEqual(await search.index(), { kind: 'foreign' });
  t.is(site.logged.length, 1);
  t.deepEqual(fs.readdirSync(join(site.dir, 'public/pagefind')), ['pagefind-entry.json']);
  t.is(textOf(site.dir, 'pagefind/pagefind-entry.json'), 'theirs');
});

test('a receiver’s job ends where the receiver is killed, the next start makes up for it, and search: false removes all', async (t) => {
  const dir = tempDir(t);
  const release = await holdLock(t, dir);
  const config = (site: object) =>
    fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify({ site, git: false }));
  config({ search: true });
  const killed = await startReceiver(t, { dir });
  await killed.post('article.published', article({ id: 'a', slug: 'hive' }));
  await until('a process indexes for the receiver', () => jobsOf(killed.pid).length === 1);
  const [orphan = ''] = jobsOf(killed.pid);
  await killed.kill('SIGKILL');
  await until('the job ends with its receiver', () => read(`/proc/${orphan}/cmdline`) === '');
  t.is(indexed(dir), undefined);

  await release();
  const receiver = await startReceiver(t, { dir });
  await until('the next start makes the index', () => indexed(dir) === 1);
  t.true(textOf(dir, 'index.html').includes('href="/search/"'));
  const { status } = await fetch(`${receiver.origin}/pagefind/pagefind.js`);
  t.is(status, 200);

  config({ search: false });
  await until('the search page goes', () => !fs.existsSync(join(dir, 'public/search/index.html')));
  await until('the link to it goes', () => !textOf(dir, 'articles/hive/index.html').includes('/search/'));
  await until('the index goes', () => !fs.existsSync(join(dir, 'public/pagefind')));
  t.deepEqual(complaints(receiver), []);
  t.is(await receiver.stop(), 0);
});
