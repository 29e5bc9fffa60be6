import fs from 'node:fs';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import test, { type ExecutionContext } from 'ava';
import { createBuilder } from '../../../src/site/builder/builder.js';
import type { RenderAnswer } from '../../../src/site/builder/render-messages.js';
import { builtAnew, filesIn, put, startRenderWorker, type TestSite, testSite } from './test-site.js';

/** Articles for several batches of a helper. */
const ARTICLES = 100;

function siteOfMany(t: ExecutionContext): TestSite {
  const site = testSite(t);
  for (let n = 0; n < ARTICLES; n++) {
    const date = new Date(Date.UTC(2026, 0, 1) + n * 3_600_000).toISOString();
    site.write(`article-${n}`, { title: `Article ${n}`, date, tags: [`tag ${n % 7}`], author: 'A. Keeper' });
  }
  return site;
}

/** A builder with a helper, and what that has answered. */
function helped({ options }: TestSite, onAnswer: (worker: Worker) => void = () => undefined) {
  const answers: RenderAnswer[] = [];
  const spawnRenderWorker = () => {
    const worker = startRenderWorker(options);
    worker.on('message', (answer: RenderAnswer) => {
      answers.push(answer);
      onAnswer(worker);
    });
    return worker;
  };
  return { builder: createBuilder({ ...options, spawnRenderWorker, poolFrom: ARTICLES }), answers };
}

const madeOf = (answers: readonly RenderAnswer[]) =>
  answers.flatMap((answer) => (answer.kind === 'made' ? answer.made : []));

test('two threads build what one builds, byte by byte, and write no page again that stands', async (t) => {
  const site = siteOfMany(t);
  const { builder, answers } = helped(site);
  t.is((await builder.buildAll()).failed, 0);
  t.deepEqual(site.output(), await builtAnew(site.options));
  t.true(madeOf(answers).some(({ kind }) => kind === 'staged'));

  t.is((await builder.buildAll({ force: true })).written, 0);
  t.true(madeOf(answers).some(({ kind }) => kind === 'same'));

  put(join(site.options.templatesDir, 'partials/footer.eta'), '<footer>Another one</footer>\n');
  await builder.buildAll();
  t.deepEqual(site.output(), await builtAnew(site.options));
  t.true(site.page('articles/article-7/index.html').includes('Another one'));
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

test('two threads compress what one compresses, byte by byte, and leave nothing behind', async (t) => {
  const site = siteOfMany(t);
  const options = { ...site.options, compress: true };
  const { builder, answers } = helped({ ...site, options });
  t.is((await builder.buildAll()).failed, 0);
  t.true(madeOf(answers).some((made) => made.kind === 'staged' && made.staged.compressed?.length === 2));
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
