import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import test, { type ExecutionContext } from 'ava';
import type { HelperData } from '../../../src/app/helper-thread.js';
import { createBuilder } from '../../../src/site/build.js';
import type { HelpAnswer } from '../../../src/site/help-messages.js';
import { WORTH_A_HELPER } from '../../../src/site/hired.js';
import { put, SITE_URL, type TestSite, testSite } from './test-site.js';

const HELPER = new URL('../../../src/app/helper-thread.js', import.meta.url);

/** A site that is worth a helper. */
function largeSite(t: ExecutionContext): TestSite {
  const site = testSite(t);
  for (let n = 0; n < WORTH_A_HELPER + 100; n++) {
    const date = new Date(Date.UTC(2026, 0, 1) + n * 3_600_000).toISOString();
    site.write(`article-${n}`, { title: `Article ${n}`, date, tags: [`tag ${n % 7}`], author: 'A. Keeper' });
  }
  return site;
}

/** A builder with a helper, and what that has answered. */
function helped({ options }: TestSite, onAnswer: (worker: Worker) => void = () => undefined) {
  const answers: HelpAnswer[] = [];
  const workerData: HelperData = {
    contentDir: options.content.root,
    siteUrl: SITE_URL,
    file: 'articles/:slug.md',
    permalink: '/articles/:slug/',
    logLevel: 'silent',
  };
  const spawnHelper = () => {
    const worker = new Worker(HELPER, { workerData });
    worker.on('message', (answer: HelpAnswer) => {
      answers.push(answer);
      onAnswer(worker);
    });
    return worker;
  };
  return { builder: createBuilder({ ...options, spawnHelper }), answers };
}

const madeOf = (answers: readonly HelpAnswer[]) =>
  answers.flatMap((answer) => (answer.is === 'made' ? answer.made : []));

test('two threads build what one builds, byte by byte, and write nothing twice', async (t) => {
  const [site, alone] = [largeSite(t), largeSite(t)];
  const { builder, answers } = helped(site);
  t.is((await builder.buildAll()).failed, 0);
  await alone.builder.buildAll();
  t.deepEqual(site.output(), alone.output());
  t.true(madeOf(answers).some(({ is }) => is === 'draft'));

  t.is((await builder.buildAll({ force: true })).written, 0);
  t.true(madeOf(answers).some(({ is }) => is === 'same'));

  for (const { options } of [site, alone])
    put(join(options.templatesDir, 'partials/footer.eta'), '<footer>Another one</footer>\n');
  await builder.buildAll();
  await alone.builder.buildAll();
  t.deepEqual(site.output(), alone.output());
  t.true(site.page('articles/article-7/index.html').includes('Another one'));
});

test('a helper that dies costs nothing', async (t) => {
  const [site, alone] = [largeSite(t), largeSite(t)];
  let deaths = 0;
  const { builder } = helped(site, (worker) => {
    deaths++;
    void worker.terminate();
  });
  t.is((await builder.buildAll()).failed, 0);
  await alone.builder.buildAll();
  t.deepEqual(site.output(), alone.output());
  t.true(deaths > 0);
  t.true(site.logged.some((line) => line.includes('the thread that helps to build pages has failed')));
});
