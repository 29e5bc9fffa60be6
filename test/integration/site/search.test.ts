import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { article } from '../../support/events.js';
import { type Receiver, run, SITE_URL, startReceiver } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

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

test('the index follows what is published, and the search page is linked', async (t) => {
  const dir = tempDir(t);
  const receiver = await startReceiver(t, { dir });
  await receiver.post('article.published', article({ id: 'a', slug: 'hive' }));
  await until(() => indexed(dir) === 1);
  await receiver.post('article.published', article({ id: 'b', slug: 'bee' }));
  await until(() => indexed(dir) === 2);
  t.true(textOf(dir, 'index.html').includes('href="/search/"'));
  t.true(textOf(dir, 'search/index.html').includes('pagefind/pagefind.js'));
  t.true(textOf(dir, 'articles/hive/index.html').includes('data-pagefind-body'));
  t.deepEqual(complaints(receiver), []);
  const { status } = await fetch(`${receiver.origin}/pagefind/pagefind.js`);
  t.is(status, 200);

  // A build that changes nothing makes no new index.
  t.is(await receiver.stop(), 0);
  const { mtimeMs } = fs.statSync(join(dir, 'public/pagefind/pressmark.json'));
  const build = await run(['build', '--dir', dir], { PRESSMARK_SITE_URL: SITE_URL });
  t.is(build.code, 0);
  t.is(fs.statSync(join(dir, 'public/pagefind/pressmark.json')).mtimeMs, mtimeMs);
});

test('a job comes last for processor and memory, ends with the receiver, and the next start makes up for it', async (t) => {
  const dir = tempDir(t);
  const release = await holdLock(t, dir);
  const env = { PRESSMARK_SITE_URL: SITE_URL };
  const receiver = await startReceiver(t, { dir, env });
  await receiver.post('article.published', article({ slug: 'hive' }));
  await until(() => jobsOf(receiver.pid).length === 1);
  const [job = ''] = jobsOf(receiver.pid);
  await until(() => statOf(job)[16] === '19'); // its niceness
  await until(() => read(`/proc/${job}/oom_score_adj`).trim() === '1000');
  const begin = performance.now();
  t.is(await receiver.stop(), 0);
  t.true(performance.now() - begin < 8_000);
  await until(() => read(`/proc/${job}/cmdline`) === '');

  const killed = await startReceiver(t, { dir, env });
  await until(() => jobsOf(killed.pid).length === 1);
  const [orphan = ''] = jobsOf(killed.pid);
  await killed.kill('SIGKILL');
  await until(() => read(`/proc/${orphan}/cmdline`) === '');

  t.is(indexed(dir), undefined);
  await release();
  await startReceiver(t, { dir, env });
  await until(() => indexed(dir) === 1);
  t.pass();
});

test('search: false removes index, page and link; maxPages is what can be found', async (t) => {
  const dir = tempDir(t);
  const config = (site: object) =>
    fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify({ site }));
  config({ search: { maxPages: 2 } });
  const receiver = await startReceiver(t, { dir });
  for (const id of ['a', 'b', 'c']) await receiver.post('article.published', article({ id, slug: id }));
  await until(() => indexed(dir) === 2);

  fs.writeFileSync(join(dir, 'public/pagefind/mine.txt'), 'mine');
  config({ search: false });
  await until(() => !fs.existsSync(join(dir, 'public/search/index.html')));
  await until(() => indexed(dir) === undefined);
  await until(() => !textOf(dir, 'articles/a/index.html').includes('/search/'));
  await until(() => fs.readdirSync(join(dir, 'public/pagefind')).length === 1);
  t.is(textOf(dir, 'pagefind/mine.txt'), 'mine');
});

test('where Pagefind’s program does not run there is no search, and no word about it', async (t) => {
  const dir = tempDir(t);
  const preload = join(tempDir(t), 'no-pagefind.mjs');
  fs.writeFileSync(
    preload,
    `import Module from 'node:module';
    const { _resolveFilename } = Module;
    Module._resolveFilename = (name, ...rest) => {
      if (name.startsWith('@pagefind/')) throw new Error('not for this platform');
      return _resolveFilename(name, ...rest);
    };`,
  );
  const receiver = await startReceiver(t, { dir, preload: pathToFileURL(preload).href });
  await receiver.post('article.published', article({ slug: 'hive' }));
  await until(() => fs.existsSync(join(dir, 'public/articles/hive/index.html')));
  t.false(textOf(dir, 'articles/hive/index.html').includes('/search/'));
  t.false(fs.existsSync(join(dir, 'public/search')));
  t.deepEqual(complaints(receiver), []);
  t.is(await receiver.stop(), 0);
  t.false(fs.existsSync(join(dir, 'public/pagefind')));
});

test('somebody else’s index is left alone', async (t) => {
  const dir = tempDir(t);
  fs.mkdirSync(join(dir, 'public/pagefind'), { recursive: true });
  fs.writeFileSync(join(dir, 'public/pagefind/pagefind-entry.json'), 'theirs');
  const receiver = await startReceiver(t, { dir });
  await until(() => complaints(receiver).some((msg) => msg.includes('search index')));
  t.deepEqual(fs.readdirSync(join(dir, 'public/pagefind')), ['pagefind-entry.json']);
});
