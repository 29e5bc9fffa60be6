import fs from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { gitIn, launchIn, makeRemote } from '../../../support/clones.js';
import { article } from '../../../support/events.js';
import { tempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';

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

test('503 where the remote takes connections and never answers; 200 for a delivery that is sent again later', async (t) => {
  const folder = tempDir(t);
  const clones = makeRemote(folder);
  const dir = clones.clone('site');
  const fast = join(folder, 'fast');
  const preload = new URL('./fast-time.js', import.meta.url).href;
  const receiver = await launchIn(dir, { preload, env: { PRESSMARK_TEST_FAST_WHILE: fast } });
  t.teardown(() => receiver.kill('SIGKILL'));
  const { post, origin } = receiver;
  const known = article();
  const first = await post('article.published', known);
  t.is(first.status, 200);

  const server = await silentServer(t);
  gitIn(dir, 'remote', 'set-url', 'origin', server.url);
  await until('the receiver asks the silent remote', () => server.taken() > 0);
  fs.writeFileSync(fast, '');
  const data = article();
  const [published, lookup, again] = await Promise.all([
    post('article.published', data),
    post('article.lookup', { target_url: first.json.url }),
    post('article.published', known),
  ]);
  t.is(published.status, 503);
  t.regex(published.json.error, /^the git remote .*; nothing is acknowledged, send it again$/);
  t.is(lookup.status, 503);
  t.regex(lookup.json.error, /^the git remote .*; nothing is acknowledged, send it again$/);
  t.is(again.text, first.text, 'an article that is known to be stored needs no remote');
  await until('the receiver is unhealthy', async () => (await fetch(`${origin}/healthz`)).status === 503);
  t.is(clones.articles().size, 1);

  gitIn(dir, 'remote', 'set-url', 'origin', clones.remote);
  fs.rmSync(fast);
  await until('the receiver is healthy again', async () => (await fetch(`${origin}/healthz`)).status === 200);
  await until('it is stored', async () => (await post('article.published', data)).status === 200);
  t.is(clones.articles().size, 2);
  await until('no connection to the silent remote stays open', () => server.open.size === 0);
  t.is(await receiver.stop(), 0);
});
