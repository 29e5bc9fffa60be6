import test, { type ExecutionContext } from 'ava';
import { isOverdue, openFacts } from '../../../../src/deploy/facts.js';
import { createAwaited } from '../../../../src/deploy/live/awaited.js';
import { problemOf } from '../../../../src/deploy/live/page-problem.js';
import { createLog } from '../../../../src/log.js';
import { startEndpoint } from '../../../support/endpoint.js';
import { tempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';

const log = createLog({ level: 'silent', terminal: false });

/** A public site whose pages hold texts, and the articles that are looked for there. */
async function setUp(
  t: ExecutionContext,
  stateDir = tempDir(t),
  pausesMs: readonly number[] = [0, 5, 5],
  followed: Promise<void> = Promise.resolve(),
) {
  const pages = new Map<string, string>();
  const { origin: siteUrl, got } = await startEndpoint(t, ({ path }, response) => {
    const text = pages.get(path);
    if (text === undefined) response.writeHead(404).end();
    else response.end(text);
  });
  const expected = new Map<string, string>();
  const facts = openFacts(stateDir, log);
  const live: string[] = [];
  let deployedUntil = Number.POSITIVE_INFINITY;
  const awaited = createAwaited({
    facts,
    log,
    live: {
      siteUrl,
      pausesMs,
      pageProblem: async (...args) => problemOf(...args),
      expected: ({ id, url }) => {
        const comment = expected.get(id);
        return Promise.resolve(comment === undefined ? undefined : { url, jsonLd: '', comments: [comment] });
      },
    },
    deployedUntil: () => deployedUntil,
    onLive: async ({ id }) => {
      live.push(id);
      await followed;
    },
  });
  t.teardown(() => awaited.stop());
  return {
    siteUrl,
    pages,
    asked: () => got.map(({ path }) => path),
    facts,
    live,
    awaited,
    expected,
    stateDir,
    setDeployedUntil: (moment: number) => {
      deployedUntil = moment;
    },
    add: (id: string, text = `<!-- svc:item:${id} -->`) => {
      expected.set(id, text);
      const at = new Date().toISOString();
      awaited.add({ path: `content/${id}.md`, id, url: `${siteUrl}/${id}`, at });
    },
    show: (id: string, text = `<!-- svc:item:${id} -->`) => pages.set(`/${id}`, text),
  };
}

const all = () => true;

test('an article that is live stays in the facts until nothing of what follows can be lost, and is live once', async (t) => {
  let end: () => void = () => undefined;
  const followed = new Promise<void>((resolve) => {
    end = resolve;
  });
  const { add, awaited, facts, live, show } = await setUp(t, undefined, undefined, followed);
  show('a');
  add('a');
  awaited.built(performance.now(), all);
  awaited.look();
  await until('it is live', () => live.length > 0);
  awaited.look();
  const stopped = awaited.stop();
  t.deepEqual(
    facts.now.awaited.map(({ id }) => id),
    ['a'],
  );
  end();
  await stopped;
  t.deepEqual(facts.now.awaited, []);
  t.deepEqual(live, ['a']);
});

test('no page is looked at before a build that began after the answer has been deployed', async (t) => {
  const { add, awaited, asked, live, show, setDeployedUntil } = await setUp(t);
  for (const id of ['a', 'b', 'c']) show(id);
  const before = performance.now() - 1;
  add('a');
  awaited.built(before, all);
  awaited.look();
  add('b');
  awaited.built(performance.now(), ({ id }) => id === 'b');
  setDeployedUntil(before);
  awaited.look();
  add('c');
  setDeployedUntil(performance.now());
  awaited.look();
  await until('what was built and deployed is live', () => live.length > 0);
  t.deepEqual(live, ['b']);
  t.deepEqual(asked(), ['/b']);
});

test('a newer text is looked for in the place of the older one, and a removed article is not', async (t) => {
  const { add, awaited, expected, facts, live, show } = await setUp(t);
  show('a');
  for (const id of ['a', 'gone', 'removed']) add(id);
  awaited.built(performance.now(), all);
  add('a', '<!-- svc:item:newer -->');
  expected.delete('gone');
  awaited.forget('content/removed.md');
  awaited.look();
  await until('the article that is gone is not waited for', () => facts.now.awaited.length === 1);
  t.like(facts.now.awaited, [{ id: 'a' }]);
  show('a', '<!-- svc:item:newer -->');
  awaited.built(performance.now(), all);
  awaited.look();
  await until('the newer text is live', () => live.length === 1);
  t.deepEqual(facts.now.awaited, []);
});

test('an article in review is not looked for, nor overdue, until some time after it is merged; a newer text begins anew', async (t) => {
  const { add, asked, awaited, facts, live, show } = await setUp(t);
  const path = 'content/a.md';
  const none = new Set<string>();
  show('a');
  add('a');
  const delivered = facts.now.awaited[0]?.at ?? '';
  await awaited.committed(async () => ({ published: none, inReview: new Set([path]) }));
  t.like(facts.now.awaited, [{ at: delivered, review: 'waiting' }]);
  const [waiting] = facts.now.awaited;
  t.false(waiting === undefined || isOverdue(waiting, Date.now() + 1e9));
  add('a');
  t.is(facts.now.awaited[0]?.review, undefined);
  await awaited.committed(async () => ({ published: none, inReview: new Set([path]) }));
  awaited.look();
  await new Promise((resolve) => setTimeout(resolve, 20));
  t.deepEqual(asked(), []);
  await awaited.committed(async () => ({ published: new Set([path]), inReview: none }));
  const [merged] = facts.now.awaited;
  t.is(merged?.review, 'merged');
  t.true((merged?.at ?? '') > delivered);
  t.true(merged !== undefined && isOverdue(merged, Date.now() + 1e9));
  awaited.look();
  await until('it is live', () => live.length === 1);

  add('a');
  await awaited.committed(async () => {
    awaited.forget(path);
    return { published: none, inReview: new Set([path]) };
  });
  t.deepEqual(facts.now.awaited, [], 'what was removed meanwhile stays removed');
});

test('what another receiver notes after the deploy is looked for, too', async (t) => {
  const pauses = [0, ...Array<number>(10_000).fill(20)];
  const { asked, awaited, expected, live, show, siteUrl, stateDir } = await setUp(t, tempDir(t), pauses);
  show('a');
  expected.set('a', '<!-- svc:item:a -->');
  const at = new Date().toISOString();
  awaited.built(performance.now(), all);
  awaited.look();
  await new Promise((resolve) => setTimeout(resolve, 60)); // a look that finds nothing to look for
  t.deepEqual(asked(), []);
  const other = openFacts(stateDir, log);
  other.note({ awaited: { path: 'content/a.md', id: 'a', url: `${siteUrl}/a`, at } });
  await other.close();
  await until('it is live', () => live.includes('a'));
});
