import net from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { gitIn, launchIn, makeRemote } from '../../../support/clones.js';
import { article } from '../../../support/events.js';
import { tempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';

/** The contract's limits for an answer, in milliseconds. */
const MOST_MS = { publish: 30_000, lookup: 15_000 };

/** A git server that takes every connection and never says a word. */
async function silentServer(t: ExecutionContext) {
  const open = new Set<net.Socket>();
  let taken = 0;
  const server = net.createServer((socket) => {
    taken++;
    open.add(socket);
    socket.resume();
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { url: `git://127.0.0.1:${address.port}/site.git`, open, taken: () => taken };
}

async function timed<T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const begun = performance.now();
  const result = await work();
  return { result, ms: performance.now() - begun };
}

test('503 in time where the remote takes connections and never answers; 200 for what is sent again later', async (t) => {
  const clones = makeRemote(tempDir(t));
  const dir = clones.clone('site');
  const receiver = await launchIn(dir);
  t.teardown(() => receiver.kill('SIGKILL'));
  const { post, origin } = receiver;
  const known = article();
  const first = await post('article.published', known);
  t.is(first.status, 200);

  const server = await silentServer(t);
  gitIn(dir, 'remote', 'set-url', 'origin', server.url);
  await until(() => server.taken() > 0);
  const data = article();
  const [published, lookup, again] = await Promise.all([
    timed(() => post('article.published', data)),
    timed(() => post('article.lookup', { target_url: first.json.url })),
    post('article.published', known),
  ]);
  t.log(`publish ${Math.round(published.ms)} ms, lookup ${Math.round(lookup.ms)} ms`);
  t.is(published.result.status, 503);
  t.regex(published.result.json.error, /send it again/);
  t.is(lookup.result.status, 503);
  t.true(published.ms < MOST_MS.publish, `a publish took ${published.ms} ms`);
  t.true(lookup.ms < MOST_MS.lookup, `a lookup took ${lookup.ms} ms`);
  t.is(again.text, first.text, 'what is known to be stored needs no remote');
  await until(async () => (await fetch(`${origin}/healthz`)).status === 503);
  t.is(clones.articles().size, 1);

  gitIn(dir, 'remote', 'set-url', 'origin', clones.remote);
  await until(async () => (await fetch(`${origin}/healthz`)).status === 200);
  t.is((await post('article.published', data)).status, 200);
  t.is(clones.articles().size, 2);
  await until(() => server.open.size === 0);
  t.is(await receiver.stop(), 0);
});
