import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import test, { type ExecutionContext } from 'ava';
import { createHooks } from '../../../src/host/hooks.js';
import { createBuilder } from '../../../src/site/builder/builder.js';
import type { RenderAnswer, RenderRequest } from '../../../src/site/builder/render-pool.js';
import {
  builtAnew,
  filesIn,
  put,
  startRenderWorker,
  type TestSite,
  type TestSiteOptions,
  testSite,
} from './test-site.js';

/** Articles for several batches of a helper. */
const ARTICLES = 100;

function siteOfMany(t: ExecutionContext, options: TestSiteOptions = {}): TestSite {
  const site = testSite(t, options);
  for (let n = 0; n < ARTICLES; n++) {
    const date = new Date(Date.UTC(2026, 0, 1) + n * 3_600_000).toISOString();
    site.write(`article-${n}`, { title: `Article ${n}`, date, tags: [`tag ${n % 7}`], author: 'A. Keeper' });
  }
  return site;
}

/** A builder with a helper, what that has answered, and the pages that it was asked for. */
function helped({ options }: TestSite, onAnswer: (worker: Worker) => void = () => undefined) {
  const answers: RenderAnswer[] = [];
  const asked: string[] = [];
  const spawnRenderWorker = () => {
    const worker = startRenderWorker(options);
    const { postMessage } = worker;
    worker.postMessage = (request: RenderRequest) => {
      if (request.kind === 'make') asked.push(...request.jobs.map(({ file }) => file));
      postMessage.call(worker, request);
    };
    worker.on('message', (answer: RenderAnswer) => {
      answers.push(answer);
      onAnswer(worker);
    });
    return worker;
  };
  return { builder: createBuilder({ ...options, spawnRenderWorker, poolFrom: ARTICLES }), answers, asked };
}

const madeOf = (answers: readonly RenderAnswer[]) =>
  answers.flatMap((answer) => (answer.kind === 'made' ? answer.made : []));

test('two threads build what one builds, byte by byte, and write no page again that stands', async (t) => {
  // So many pages of lists that the first batches, which the worker gets however slow it is, have some.
  const site = siteOfMany(t, { pageSize: 1 });
  const { builder, answers, asked } = helped(site);
  t.is((await builder.buildAll()).failed, 0);
  t.deepEqual(site.output(), await builtAnew(site.options));
  t.true(madeOf(answers).some(({ kind }) => kind === 'staged'));
  t.true(asked.some((file) => file.startsWith('articles/')));
  t.true(asked.some((file) => file.startsWith('archive/')));

  t.is((await builder.buildAll({ force: true })).written, 0);
  t.true(madeOf(answers).some(({ kind }) => kind === 'same'));

  put(join(site.options.templatesDir, 'partials/footer.eta'), '<footer>Another one</footer>\n');
  await builder.buildAll();
  t.deepEqual(site.output(), await builtAnew(site.options));
  t.true(site.page('articles/article-7/index.html').includes('Another one'));
});

test('changes that come one after the other in the midst of a build by two threads are all built', async (t) => {
  const site = siteOfMany(t, {
    addHooks: (hooks) =>
      hooks.addFilter(
        'feed.items',
        async (items) => {
          await wait(20);
          return items;
        },
        { plugin: 'slow' },
      ),
  });
  let changes: Promise<void> | undefined;
  const { builder } = helped(site, () => {
    changes ??= (async () => {
      for (const slug of ['b', 'c', 'd']) {
        await builder.buildChanged([site.write(slug)]);
        t.true(site.page('feed.xml').includes(`/articles/${slug}/`), slug);
      }
    })();
  });
  await builder.buildAll();
  await changes;
  for (const slug of ['b', 'c', 'd']) t.true(site.has(`articles/${slug}/index.html`), slug);
  t.deepEqual(site.output(), await builtAnew(site.options));
  await builder.close();
});

test('what a worker makes of an article that is removed meanwhile, or of its lists, does not come to the site', async (t) => {
  const site = siteOfMany(t);
  // More than the worker takes at once, so that this thread builds some too, and hears of the change.
  for (let n = 0; n < 2 * ARTICLES; n++) site.write(`other-${n}`, { date: '2025-01-01T08:00:00Z' });
  let open: () => void = () => undefined;
  const isOpen = new Promise<void>((resolve) => {
    open = resolve;
  });
  let asked: (file: string) => void = () => undefined;
  const first = new Promise<string>((resolve) => {
    asked = resolve;
  });
  const spawnRenderWorker = () => {
    const worker = startRenderWorker(site.options);
    const { postMessage } = worker;
    worker.postMessage = (request: RenderRequest) => {
      postMessage.call(worker, request);
      const jobs = request.kind === 'make' ? request.jobs : [];
      for (const { kind, file } of jobs) if (kind === 'article') asked(file);
    };
    // The pages that it has made come late.
    const emit = worker.emit.bind(worker) as (event: string, ...args: unknown[]) => boolean;
    worker.emit = (event: string, ...args: unknown[]) => {
      const [answer] = args as RenderAnswer[];
      if (event !== 'message' || answer?.kind !== 'made') return emit(event, ...args);
      void isOpen.then(() => emit(event, ...args));
      return true;
    };
    return worker;
  };
  const builder = createBuilder({ ...site.options, spawnRenderWorker, poolFrom: ARTICLES });
  const all = builder.buildAll();
  const file = await first;
  const path = file.replace('/index.html', '.md');
  fs.rmSync(join(site.options.content.root, path));
  await builder.buildChanged([path]);
  open();
  t.is((await all).failed, 0);
  t.false(site.has(file));
  t.deepEqual(site.output(), await builtAnew(site.options));
  await builder.close();
});

test('where plugins filter pages, all pages are made in the thread of the builder, which has the plugins', async (t) => {
  const site = siteOfMany(t);
  const hooks = createHooks(site.options.log);
  hooks.addFilter('page.html', (html) => html.replace('</body>', '<!-- filtered --></body>'), {
    plugin: 'filter',
  });
  const filtered = { ...site, options: { ...site.options, hooks } };
  const { builder, answers } = helped(filtered);
  t.is((await builder.buildAll()).failed, 0);
  t.deepEqual(madeOf(answers), []);
  for (let n = 0; n < ARTICLES; n++)
    t.true(site.page(`articles/article-${n}/index.html`).includes('<!-- filtered -->'));
  t.deepEqual(site.output(), await builtAnew(filtered.options));
});

test('a build goes on alone where its worker has died, and makes every page', async (t) => {
  const site = siteOfMany(t);
  let deaths = 0;
  const { builder } = helped(site, (worker) => {
    deaths++;
    void worker.terminate();
  });
  t.is((await builder.buildAll()).failed, 0);
  t.deepEqual(site.output(), await builtAnew(site.options));
  t.true(deaths > 0);
  t.true(site.logged.some((line) => line.includes('the thread that renders pages has failed')));
});

test('what two threads have built is compressed as what one has, byte by byte, and nothing is left behind', async (t) => {
  const site = siteOfMany(t);
  const options = { ...site.options, compress: true };
  const { builder, answers } = helped({ ...site, options });
  t.is((await builder.buildAll()).failed, 0);
  t.true(madeOf(answers).some((made) => made.kind === 'staged'));
  const bytes = (folder: string) =>
    Object.fromEntries(
      Object.keys(filesIn(folder)).map((file) => [
        file,
        fs.readFileSync(join(folder, file)).toString('base64'),
      ]),
    );
  const alone = { ...options, outputDir: join(site.dir, 'alone'), stateDir: join(site.dir, 'state') };
  await createBuilder(alone).buildAll();
  t.deepEqual(bytes(site.options.outputDir), bytes(alone.outputDir));
  t.deepEqual(await builder.check(), []);
  t.false(Object.keys(filesIn(site.options.stateDir)).some((file) => file.endsWith('.tmp')));
});
