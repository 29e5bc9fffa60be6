import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { commitAndPush, gitIn, launchIn, makeRemote } from '../../../support/clones.js';
import { article } from '../../../support/events.js';
import { tempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';
import { idsOnRemote, makePushingSite, publish } from './pushing-site.js';

const { PATH = '' } = process.env;
/** Time passes five times as fast for the receiver: this is longer than a fetch or a push is waited for. */
const SLOW_S = 4;

/** Has the receiver's git take its time for its next command with these words, as over a slow connection. */
function slowGit(t: ExecutionContext, words: string) {
  const bin = tempDir(t);
  const begun = join(bin, 'begun');
  const slow = join(bin, 'slow');
  const script = `#!/bin/sh
PATH='${PATH}'
case "$*" in *'${words}'*)
  [ -e '${slow}' ] || exec git "$@"
  echo >> '${begun}'
  for _ in $(seq ${SLOW_S * 10}); do echo 'Objects: some' >&2; sleep 0.1; done
  rm -f '${slow}';;
esac
exec git "$@"
`;
  fs.writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
  const fast = join(bin, 'fast');
  fs.writeFileSync(fast, '');
  const preload = new URL('./fast-time.js', import.meta.url).href;
  const env = { PATH: `${bin}:${PATH}`, PRESSMARK_TEST_FAST_WHILE: fast };
  return {
    preload,
    env,
    slowDown: () => fs.writeFileSync(slow, ''),
    begun: () => (fs.existsSync(begun) ? fs.readFileSync(begun, 'utf8').length : 0),
  };
}

async function untilStored(post: (type: string, data: unknown) => Promise<{ status: number }>) {
  const data = article();
  const statuses = new Set<number>();
  await until('the article is acknowledged', async () => {
    const { status } = await post('article.published', data);
    statuses.add(status);
    return status === 200;
  });
  return statuses;
}

test('a fetch that takes longer than a delivery can wait goes on, and a delivery that is sent again is stored', async (t) => {
  const clones = makeRemote(tempDir(t));
  const dir = clones.clone('site');
  const olga = clones.clone('olga');
  const { preload, env, slowDown, begun } = slowGit(t, ' fetch ');
  const receiver = await launchIn(dir, { preload, env });
  t.teardown(() => receiver.kill('SIGKILL'));
  slowDown();
  commitAndPush(olga, 'notes.txt', 'A large change\n');
  await until('the receiver fetches', () => begun() > 0);
  const statuses = await untilStored(receiver.post);
  t.deepEqual([...statuses], [503, 200], 'nobody waits for it');
  t.is(begun(), 1, 'it was begun once');
  await until(
    'the branch follows',
    () => gitIn(dir, 'rev-parse', 'HEAD') === clones.git('rev-parse', 'main'),
  );
});

test('a push that takes longer than a delivery can wait goes on, and stores the delivery once', async (t) => {
  const clones = makeRemote(tempDir(t));
  const { preload, env, slowDown, begun } = slowGit(t, ' push ');
  const receiver = await launchIn(clones.clone('site'), { preload, env });
  t.teardown(() => receiver.kill('SIGKILL'));
  slowDown();
  const statuses = await untilStored(receiver.post);
  t.deepEqual([...statuses], [503, 200]);
  t.is(begun(), 1);
  t.is(clones.articles().size, 1);
});

test('a push in the background may take long', async (t) => {
  const { preload, env, slowDown, begun } = slowGit(t, ' push ');
  const site = await makePushingSite(tempDir(t), { env, preload });
  t.teardown(() => site.receiver.kill('SIGKILL'));
  slowDown();
  const id = await publish(site.receiver);
  await until('the remote has it', () => idsOnRemote(site).includes(id));
  t.is(begun(), 1);
});
