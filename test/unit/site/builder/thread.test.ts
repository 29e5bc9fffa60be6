import { once } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import test, { type ExecutionContext } from 'ava';
import { pino } from 'pino';
import { serveBuilds } from '../../../../src/site/builder/thread.js';

/** The main thread's end of a builder's thread that has these functions alone. */
function served(t: ExecutionContext, builder: object) {
  const { port1, port2 } = new MessageChannel();
  t.teardown(() => port1.close());
  serveBuilds(port1, builder as never, pino({ level: 'silent' }), () => undefined);
  return port2;
}

test('the address that a preview’s links are relative to is put into its page by the thread that has made it', async (t) => {
  const preview = async (_path: string, text: string) => (text === '' ? undefined : `<!doctype html>${text}`);
  const port = served(t, { preview });
  const htmlOf = async (text: string) => {
    port.postMessage({ id: 1, kind: 'preview', path: 'a.md', text, base: '/articles/"soil"/' });
    return (await once(port, 'message'))[0].result;
  };
  const base = '<base href="/articles/&quot;soil&quot;/" target="_blank">';
  t.is(
    await htmlOf('<head lang="en"><title>Soil</title>'),
    `<!doctype html><head lang="en">${base}<title>Soil</title>`,
  );
  t.is(await htmlOf('<title>Soil</title><header>'), `<!doctype html>${base}<title>Soil</title><header>`);
  // A frame has no origin, so that all files are of another one.
  t.is(
    await htmlOf(
      '<head><base href="../"><link href="a.css" integrity="sha256-x" crossorigin></head>integrity=1',
    ),
    '<!doctype html><head><base href="/articles/" target="_blank"><base href="../"><link href="a.css"  ></head>integrity=1',
  );
  t.is(await htmlOf(''), undefined);
});
