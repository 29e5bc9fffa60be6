import { once } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import test from 'ava';
import { pino } from 'pino';
import { serveBuilds } from '../../../../src/site/builder/thread.js';

test('the address that a preview’s links are relative to is put into its page by the thread that has made it', async (t) => {
  const { port1: port, port2: other } = new MessageChannel();
  t.teardown(() => port.close());
  const never = async () => t.fail() as never;
  const preview = async (_path: string, text: string) =>
    text === '' ? undefined : `<!doctype html><head lang="en"><title>${text}</title>`;
  serveBuilds(
    port,
    { build: never, pages: () => undefined, preview, close: never },
    pino({ level: 'silent' }),
    () => undefined,
  );
  const answers: unknown[] = [];
  for (const text of ['Soil', '']) {
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
    { id: 1, kind: 'preview', html: undefined },
  ]);
});
