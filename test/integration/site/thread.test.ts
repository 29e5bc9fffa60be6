import { EventEmitter } from 'node:events';
import { Worker } from 'node:worker_threads';
import test, { type ExecutionContext } from 'ava';
import type { BuildReport, FileChange } from '../../../src/host/hooks/hook-types.js';
import { startHost } from '../../../src/host/host.js';
import { definePlugin } from '../../../src/host/plugin.js';
import type { SiteReport } from '../../../src/site/builder/build-report.js';
import type { Request } from '../../../src/site/builder/thread.js';
import { type SitePluginOptions, sitePlugin } from '../../../src/site/plugin.js';
import { hostSite } from '../../support/host-site.js';
import { until } from '../../support/until.js';
import { gatheringLog, SITE_URL, type TestSite, testSite } from './test-site.js';

/** Longer than a build takes on a busy machine. */
const PATIENCE_MS = 60_000;

/** A host with the site's plugin: its log, the reasons of builds that have failed, the report of the first one that has not. */
async function run(
  t: ExecutionContext,
  site: TestSite,
  spawn: () => Worker,
  options: Pick<SitePluginOptions, 'search' | 'retryMs'> = {},
) {
  const failures: string[] = [];
  let first: (report: BuildReport) => void;
  const built = new Promise<BuildReport>((resolve) => {
    first = resolve;
  });
  const listener = definePlugin({
    name: 'listener',
    receiver: (host) => {
      host.addAction('build.failed', ({ reason }) => void failures.push(reason));
      host.addAction('site.built', (report) => first(report));
    },
  });
  const logged: string[] = [];
  const host = await startHost(
    [sitePlugin({ spawn, contentPrefix: 'content/', closeMs: PATIENCE_MS, ...options }), listener].map(
      (plugin) => ({ plugin, origin: 'test' }),
    ),
    {
      face: 'receiver',
      ...hostSite(site.dir, SITE_URL),
      log: gatheringLog(logged),
      articles: { get: async () => undefined, find: async () => undefined, ids: () => [] },
    },
  );
  t.teardown(() => host.close());
  return { host, logged, failures, built };
}

function change(slug: string): FileChange {
  return { path: `content/articles/${slug}.md`, id: slug, url: `${SITE_URL}/articles/${slug}/` };
}

test('the plugin builds the site in a thread, again after a crash, after every event, and what waits before it closes; the search hears of each build', async (t) => {
  const site = testSite(t);
  site.write('a');
  const search = { builds: 0, closed: 0 };
  let starts = 0;
  const spawn = () =>
    ++starts === 1
      ? new Worker("throw new Error('told to crash')", { eval: true })
      : new Worker(new URL('./builder-worker.js', import.meta.url), { workerData: site.dir });
  const { host, logged, built } = await run(t, site, spawn, {
    retryMs: 0,
    search: () => ({
      built: () => void search.builds++,
      index: async () => true,
      close: async () => void search.closed++,
    }),
  });
  await host.hooks.doAction('host.ready', { url: SITE_URL });
  t.true((await built).written > 0);
  t.is(starts, 2);
  t.regex(logged.join(''), /told to crash/);
  t.true(site.page('articles/a/index.html').includes('The body of a'));
  t.is(search.builds, 1);

  site.write('b');
  await host.hooks.doAction('article.edited', change('b'));
  await until('the page is built', () => site.has('articles/b/index.html'));
  site.write('late');
  await host.hooks.doAction('article.edited', change('late'));
  await host.close();
  t.true(site.has('articles/late/index.html'));
  t.is(search.closed, 1);
});

/** A thread that builds nothing: the test gives its answers. */
function standIn() {
  const requests: Request[] = [];
  const thread = Object.assign(new EventEmitter(), {
    postMessage: (request: Request) => {
      requests.push(request);
      if (request.kind === 'close') setImmediate(() => thread.emit('exit', 0));
    },
    terminate: async () => 0,
  });
  const builds = () => requests.flatMap((request) => (request.kind === 'build' ? [request] : []));
  const firsts = () => requests.flatMap((request) => (request.kind === 'first' ? request.paths : []));
  /** Answers the last request for a build. */
  const answer = (said: { readonly failed: string } | { readonly result: SiteReport }) =>
    thread.emit('message', { id: builds().at(-1)?.id, ...said });
  const crash = () => thread.emit('exit', 1);
  return { worker: thread as unknown as Worker, builds, firsts, answer, crash };
}

test('what is asked for during a build is one build, the next, and the own pages of changed articles come first at once', async (t) => {
  const { worker, builds, firsts, answer } = standIn();
  const { host } = await run(t, testSite(t), () => worker, { retryMs: PATIENCE_MS });
  await host.hooks.doAction('host.ready', { url: SITE_URL });
  await until('everything is asked for', () => builds().length === 1);
  for (const slug of ['a', 'b', 'a']) await host.hooks.doAction('article.edited', change(slug));
  t.is(builds().length, 1);
  const changed = ['articles/a.md', 'articles/b.md'];
  t.deepEqual([...new Set(firsts())], changed);
  answer({ failed: 'no luck' });
  await until('the changes are asked for', () => builds().length === 2);
  t.deepEqual(builds()[1]?.work, changed);
  await host.hooks.doAction('article.edited', change('c'));
  await host.hooks.doAction('build.requested', {});
  t.is(firsts().at(-1), 'articles/c.md');
  answer({ failed: 'no luck' });
  await until('everything is asked for', () => builds().length === 3);
  t.is(builds()[2]?.work, 'all');
});

test('after a build some of whose pages have failed, everything is built again', async (t) => {
  const { worker, builds, answer } = standIn();
  const { host } = await run(t, testSite(t), () => worker, { retryMs: 20 });
  await host.hooks.doAction('article.edited', change('a'));
  await until('the change is asked for', () => builds().length === 1);
  const counts = { pages: 1, bytes: 1, written: 0, removed: 0, failed: 1, ms: 1 };
  answer({ result: { ...counts, files: [], failures: [], output: 'x', paths: ['articles/a.md'] } });
  await until('everything is asked for', () => builds().length === 2);
  t.is(builds()[1]?.work, 'all');
});

test('a thread that dies in a build has failed once, and the next change has another one', async (t) => {
  const { worker, builds, crash } = standIn();
  const { host, logged, failures } = await run(t, testSite(t), () => worker, { retryMs: PATIENCE_MS });
  await host.hooks.doAction('article.edited', change('a'));
  await until('the change is asked for', () => builds().length === 1);
  crash();
  await until('the crash is reported', () => failures.length === 1);
  t.is(logged.length, 1);
  await host.hooks.doAction('article.edited', change('b'));
  await until('the next change is asked for', () => builds().length === 2);
});

test('a thread that cannot be started is an error in the log, and the plugin still closes', async (t) => {
  const site = testSite(t);
  const { host, logged } = await run(t, site, () => {
    throw new Error('no thread today');
  });
  await host.hooks.doAction('host.ready', { url: SITE_URL });
  await host.close();
  t.regex(logged.join(''), /no thread today/);
});
