import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { commitAndPush, gitIn, launchIn, makeRemote } from '../../../support/clones.js';
import { article } from '../../../support/events.js';
import { tempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';

const { PATH = '' } = process.env;

/** A git that once, at a command with these words, leaves locks behind as a killed one does. */
function gitKilledOnce(t: ExecutionContext, words: string, locks: readonly string[]) {
  const bin = tempDir(t);
  const mark = join(bin, 'mark');
  const script = `#!/bin/sh
PATH='${PATH}'
case "$*" in *'${words}'*)
  if [ -e '${mark}' ]; then
    rm '${mark}'; mkdir -p .git/refs/pressmark
    ${locks.map((lock) => `: > '.git/${lock}'`).join('; ')}; kill -9 $$
  fi;; esac
exec git "$@"
`;
  fs.writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
  return {
    env: { PATH: `${bin}:${PATH}` },
    killNext: () => fs.writeFileSync(mark, ''),
    wasKilled: () => !fs.existsSync(mark),
  };
}

const CASES = [
  {
    name: 'a git that is killed while it fetches',
    words: 'fetch --quiet',
    locks: ['refs/remotes/origin/main.lock'],
  },
  {
    name: 'a git that is killed while it remembers what was fetched',
    words: 'update-ref refs/pressmark/remote',
    locks: ['refs/pressmark/remote.lock'],
  },
  {
    name: 'a git that is killed while the branch follows',
    words: 'pressmark: follow the remote',
    locks: ['refs/heads/main.lock', 'HEAD.lock', 'refs/pressmark/remote.lock'],
  },
];

for (const { name, words, locks } of CASES)
  test(`${name} costs nothing: deliveries are answered, and the branch follows`, async (t) => {
    const clones = makeRemote(tempDir(t));
    const [dir, other] = [clones.clone('a'), clones.clone('olga')];
    const git = gitKilledOnce(t, words, locks);
    const receiver = await launchIn(dir, { env: git.env });
    t.teardown(() => receiver.kill('SIGKILL'));
    git.killNext();
    commitAndPush(other, 'notes.txt', 'First\n');
    await until(git.wasKilled);
    commitAndPush(other, 'notes.txt', 'Second\n');
    await until(async () => (await receiver.post('article.published', article())).status === 200);
    await until(() => gitIn(dir, 'rev-parse', 'HEAD') === clones.git('rev-parse', 'main'));
    t.is(fs.readFileSync(join(dir, 'notes.txt'), 'utf8'), 'Second\n');
    const ours = locks.filter((lock) => !lock.startsWith('refs/remotes/'));
    t.deepEqual(
      ours.filter((lock) => fs.existsSync(join(dir, '.git', lock))),
      [],
    );
    t.is(gitIn(dir, 'status', '--porcelain'), '');
  });
