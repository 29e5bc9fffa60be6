import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { commitAndPush, gitIn, launchIn, makeRemote } from '../../../support/clones.js';
import { article } from '../../../support/events.js';
import { tempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';

const { PATH = '' } = process.env;
/** Time passes five times as fast for the receiver: this is longer than a delivery waits, twice. */
const SLOW_S = 8;

/** A git that takes its time for its next command with some words, as over a slow connection. */
function slowGit(t: ExecutionContext) {
  const bin = tempDir(t);
  const begun = join(bin, 'begun');
  const slow = join(bin, 'slow');
  const script = `#!/bin/sh
PATH='${PATH}'
[ -e '${slow}' ] || exec git "$@"
case "$*" in *"$(cat '${slow}')"*)
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
    slowDown: (words: string) => fs.writeFileSync(slow, words),
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
  return [...statuses];
}

test('a fetch and a push that take longer than a delivery can wait go on, and what is sent again is stored once', async (t) => {
  const clones = makeRemote(tempDir(t));
  const dir = clones.clone('site');
  const olga = clones.clone('olga');
  const { preload, env, slowDown, begun } = slowGit(t);
  const receiver = await launchIn(dir, { preload, env });
  t.teardown(() => receiver.kill('SIGKILL'));
  slowDown(' fetch ');
  commitAndPush(olga, 'notes.txt', 'A large change\n');
  await until('the receiver fetches', () => begun() === 1);
  const givenUp = article();
  t.is((await receiver.post('article.published', givenUp)).status, 503);
  t.deepEqual(await untilStored(receiver.post), [503, 200], 'nobody waits for it');
  t.is(begun(), 1, 'it was begun once');
  await until(
    'the branch follows',
    () => gitIn(dir, 'rev-parse', 'HEAD') === clones.git('rev-parse', 'main'),
  );

  slowDown(' push ');
  t.deepEqual(await untilStored(receiver.post), [503, 200]);
  t.is(begun(), 2);
  const texts = [...clones.articles().values()];
  t.is(texts.length, 2);
  t.false(
    texts.some((text) => text.includes(givenUp.id)),
    'what was given up before its push is not pushed',
  );
  t.is((await receiver.post('article.published', givenUp)).status, 200);
  t.is(clones.articles().size, 3);
});
