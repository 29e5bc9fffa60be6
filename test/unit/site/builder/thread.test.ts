import { once } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import test from 'ava';
import { pino } from 'pino';
import { serveBuilds } from '../../../../src/site/builder/thread.js';
import { until } from '../../../support/until.js';

test('the address that a preview’s links are relative to is put into its page by the thread that has made it', async (t) => {
  const { port1: port, port2: other } = new MessageChannel();
  t.teardown(() => port.close());
  const never = async () => t.fail() as never;
  const preview = async (_path: string, text: string) => (text === '' ? undefined : `<!doctype html>${text}`);
  serveBuilds(
    port,
    { build: never, pages: () => undefined, preview, close: never },
    pino({ level: 'silent' }),
    () => undefined,
  );
  const answers: unknown[] = [];
  for (const text of [
    '<head lang="en"><title>Soil</title>',
    '<title>Soil</title><header>Mine</header>',
    '',
  ]) {
    other.postMessage({ id: 1, kind: 'preview', path: 'a.md', text, base: '/articles/"soil"/' });
    const [answer] = await once(other, 'message');
    answers.push(answer);
  }
  t.deepEqual(answers, [
    {
      id: 1,
      kind: 'preview',
      html: '<!doctype html><head lang="en"><base href="/articles/&quot;soil&quot;/"><title>Soil</title>',
    },
    {
      id: 1,
      kind: 'preview',
      html: '<!doctype html><base href="/articles/&quot;soil&quot;/"><title>Soil</title><header>Mine</header>',
    },
    { id: 1, kind: 'preview', html: undefined },
  ]);
});

test('a build that several requests have asked for is reported once, with the moment of the last of them', async (t) => {
  const { port1: port, port2: other } = new MessageChannel();
  t.teardown(() => port.close());
  const ends: (() => void)[] = [];
  const report = { pages: 1, bytes: 1, written: 1, removed: 0, files: [], failed: 0, failures: [] };
  const builds = ['a', 'b'].map((output) =>
    new Promise<void>((resolve) => ends.push(resolve)).then(() => ({ ...report, output, paths: [], ms: 1 })),
  );
  const asked: unknown[] = [];
  const build = (paths: unknown) => {
    asked.push(paths);
    return builds[asked.length > 3 ? 1 : 0] ?? t.fail();
  };
  const never = async () => t.fail() as never;
  serveBuilds(
    port,
    { build: build as never, pages: () => undefined, preview: never, close: never },
    pino({ level: 'silent' }),
    () => undefined,
  );
  const posted: unknown[] = [];
  other.on('message', ({ at, report: { output } }) => posted.push([at, output]));
  for (const at of [1, 2, 3, 4]) other.postMessage({ kind: 'build', paths: [`${at}.md`], at });
  await until('all are asked for', () => asked.length === 4);
  for (const end of ends) end();
  await until('both builds are reported', () => posted.length >= 2);
  t.deepEqual(posted, [
    [3, 'a'],
    [4, 'b'],
  ]);
});
