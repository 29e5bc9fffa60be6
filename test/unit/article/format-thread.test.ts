import { Worker } from 'node:worker_threads';
import test, { type ExecutionContext } from 'ava';
import { draftOf } from '../../../src/article/article.js';
import { plainFormat } from '../../../src/article/format.js';
import { createFormatThread } from '../../../src/article/format-thread.js';
import { createFormatWork } from '../../../src/article/format-work.js';
import { PressmarkError } from '../../../src/errors.js';
import { article } from '../../support/events.js';
import { until } from '../../support/until.js';

/** Stands in for `serveFormatJobs`: what a job gives is written in its first input. */
const STAND_IN = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', ({ input: [text] }) => {
    if (text === 'for ever') for (;;);
    if (text === 'memory') for (const all = []; ; ) all.push(new Array(100_000).fill(0.5));
    if (text === 'end') process.exit();
    if (text === 'refused')
      return parentPort.postMessage({ is: 'failed', code: 'ARTICLE_UNREADABLE', message: 'why', details: { a: 'b' } });
    parentPort.postMessage({ is: 'done', result: text });
  });
  parentPort.postMessage({ is: 'ready' });
`;

const TIMES = { work: 500, wait: 60_000, idle: 60_000 };

function standIn(t: ExecutionContext, times = TIMES) {
  const started: Worker[] = [];
  const thread = createFormatThread(() => {
    const worker = new Worker(STAND_IN, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 32 } });
    started.push(worker);
    return worker;
  }, times);
  t.teardown(() => Promise.all(started.map((worker) => worker.terminate())));
  return { started, decode: (text: string) => thread.run('decode', [text, 'a.md'], undefined) as unknown };
}

test('the thread is started for the first job, and does one after the other', async (t) => {
  const { started, decode } = standIn(t);
  t.is(started.length, 0);
  t.deepEqual(await Promise.all(['a', 'b', 'c'].map(decode)), ['a', 'b', 'c']);
  t.is(started.length, 1);
});

test('a job that takes too long or too much memory is refused, and the jobs behind it are done', async (t) => {
  const { started, decode } = standIn(t);
  for (const text of ['for ever', 'memory']) {
    const [refused, done] = await Promise.allSettled([decode(text), decode('next')]);
    t.like(refused, { status: 'rejected', reason: { code: 'ARTICLE_TOO_COMPLEX', status: 503 } }, text);
    t.like(done, { status: 'fulfilled', value: 'next' }, text);
  }
  t.is(started.length, 3);
});

test('what a job throws arrives, and the thread goes on', async (t) => {
  const { started, decode } = standIn(t);
  const error = await t.throwsAsync(async () => decode('refused'), { instanceOf: PressmarkError });
  t.like(error, { code: 'ARTICLE_UNREADABLE', message: 'why', details: { a: 'b' } });
  t.is(await decode('next'), 'next');
  t.is(started.length, 1);
});

test('a thread that ends fails its own job alone', async (t) => {
  const { started, decode } = standIn(t);
  await t.throwsAsync(async () => decode('end'));
  t.is(await decode('next'), 'next');
  t.is(started.length, 2);
});

test('a thread without a job ends after a while', async (t) => {
  const { started, decode } = standIn(t, { ...TIMES, idle: 1 });
  await decode('a');
  await until('the idle thread has ended', () => started[0]?.threadId === -1);
  t.is(await decode('b'), 'b');
  t.is(started.length, 2);
});

test('short articles are worked on at once, and long ones never', async (t) => {
  const places: string[] = [];
  const plain = plainFormat((slug) => `https://garden.example/${slug}/`);
  const inPlace = (what: string) => {
    places.push(what);
    throw new Error('in place');
  };
  const format = {
    ...plain,
    encodeFirst: () => inPlace('encodeFirst'),
    decode: () => inPlace('decode'),
    amend: () => inPlace('amend'),
    pathFor: () => inPlace('pathFor'),
    readsMarkdown: true,
  };
  const start = () => {
    places.push('thread');
    throw new Error('no thread');
  };
  async function placesOf(size: number, isMarkdown: boolean): Promise<string[]> {
    places.length = 0;
    const { encodeFirst, decode, amend, html, pathFor } = createFormatWork(format, start);
    const text = 'a'.repeat(size);
    const data = article({ content_markdown: isMarkdown ? text : '', content_html: isMarkdown ? '' : text });
    const named = { ...draftOf(data), url: 'https://garden.example/a/', updated: null };
    const stored = {
      article: { ...named, revision: 'a' },
      edited: true,
      bodyEdited: true,
      digest: undefined,
    };
    await t.throwsAsync(async () => encodeFirst(named, 'a.md'));
    await t.throwsAsync(async () => (await pathFor(named))('a.md'));
    await t.throwsAsync(async () => amend('', stored, stored.article, 'a.md'));
    await t.throwsAsync(async () => decode(text, 'a.md'));
    if (size > 8_192) await t.throwsAsync(async () => html(stored));
    else t.is(await html(stored), `<p>${text}</p>\n`);
    return [...places];
  }
  t.deepEqual(await placesOf(8_000, true), ['encodeFirst', 'pathFor', 'amend', 'decode']);
  const { encodeFirst } = createFormatWork(format, start);
  for (const body of ['!['.repeat(50), `${'> '.repeat(10)}a`]) {
    const named = {
      ...draftOf(article({ content_markdown: body })),
      url: 'https://garden.example/a/',
      updated: null,
    };
    await t.throwsAsync(async () => encodeFirst(named, 'a.md'), { message: 'no thread' }, body);
  }
  t.deepEqual(await placesOf(8_200, true), ['thread', 'thread', 'thread', 'decode', 'thread']);
  const { tagKeys } = createFormatWork({ ...format, tagKey: String }, start);
  t.is(await tagKeys(['a', 'b']), String);
  await t.throwsAsync(async () => tagKeys(Array.from({ length: 700 }, String)), { message: 'no thread' });
  // Twice: what came without Markdown has its HTML for a body.
  t.deepEqual(await placesOf(30_000, false), ['encodeFirst', 'pathFor', 'amend', 'decode', 'thread']);
  t.deepEqual(await placesOf(66_000, false), ['thread', 'thread', 'thread', 'thread', 'thread']);
});
