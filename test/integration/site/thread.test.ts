import { Worker } from 'node:worker_threads';
import test, { type ExecutionContext } from 'ava';
import type { BuildReport, FileChange } from '../../../src/host/hook-types.js';
import { definePlugin, type Host, startHost } from '../../../src/host/plugins.js';
import { sitePlugin } from '../../../src/site/plugin.js';
import { gatheringLog, SITE_URL, type TestSite, testSite } from './test-site.js';

interface Running {
  readonly host: Host;
  readonly logged: string[];
  /** The next report of a finished build. */
  built(): Promise<BuildReport>;
}

async function run(t: ExecutionContext, site: TestSite, spawn: () => Worker): Promise<Running> {
  const reports: BuildReport[] = [];
  const waiting: ((report: BuildReport) => void)[] = [];
  const listener = definePlugin({
    name: 'listener',
    setup: (host) =>
      host.addAction('site.built', (report) => {
        const resolve = waiting.shift();
        if (resolve === undefined) reports.push(report);
        else resolve(report);
      }),
  });
  const logged: string[] = [];
  const host = await startHost(
    [sitePlugin({ spawn, contentDir: './content/' }), listener].map((plugin) => ({ plugin, origin: 'test' })),
    {
      role: 'receiver',
      siteUrl: SITE_URL,
      siteDir: site.dir,
      log: gatheringLog(logged),
      articles: { get: async () => undefined, find: async () => undefined, ids: () => [] },
    },
  );
  t.teardown(() => host.close());
  const built = () => {
    const report = reports.shift();
    return report === undefined
      ? new Promise<BuildReport>((resolve) => waiting.push(resolve))
      : Promise.resolve(report);
  };
  return { host, logged, built };
}

function worker(site: TestSite, crash = false): Worker {
  const workerData = { root: site.dir, url: SITE_URL, crash };
  return new Worker(new URL('./builder-worker.js', import.meta.url), { workerData });
}

function change(slug: string): FileChange {
  return { path: `content/articles/${slug}.md`, id: slug, url: `${SITE_URL}/articles/${slug}/` };
}

test('the plugin builds the site in a thread, at the start and after every event', async (t) => {
  const site = testSite(t);
  site.write('a');
  const { host, built } = await run(t, site, () => worker(site));
  await host.hooks.doAction('host.ready', { url: SITE_URL });
  t.true((await built()).written > 0);
  t.true(site.page('articles/a/index.html').includes('The body of a'));

  site.write('b');
  site.write('c');
  await host.hooks.doAction('article.edited', change('b'));
  await host.hooks.doAction('article.edited', change('c'));
  await built();
  t.true(site.has('articles/b/index.html') && site.has('articles/c/index.html'));
});

test('closing finishes what is pending', async (t) => {
  const site = testSite(t);
  const { host, built } = await run(t, site, () => worker(site));
  await host.hooks.doAction('host.ready', { url: SITE_URL });
  await built();
  site.write('late');
  await host.hooks.doAction('article.edited', change('late'));
  await host.close();
  t.true(site.has('articles/late/index.html'));
});

test('a thread that crashes is told of and started again, and nothing is lost', async (t) => {
  const site = testSite(t);
  site.write('a');
  let starts = 0;
  const { host, logged, built } = await run(t, site, () => worker(site, ++starts === 1));
  await host.hooks.doAction('host.ready', { url: SITE_URL });
  t.true((await built()).written > 0);
  t.is(starts, 2);
  t.true(site.has('articles/a/index.html'));
  t.true(logged.some((line) => line.includes('told to crash')));
});

test('a thread that cannot be started harms nobody', async (t) => {
  const site = testSite(t);
  const { host, logged } = await run(t, site, () => {
    throw new Error('no thread today');
  });
  await host.hooks.doAction('host.ready', { url: SITE_URL });
  await host.close();
  t.true(logged.some((line) => line.includes('no thread today')));
});
