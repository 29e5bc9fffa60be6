import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { commitAndPush, gitIn, launchMachine, makeRemote } from '../../../support/clones.js';
import { article } from '../../../support/events.js';
import type { Receiver } from '../../../support/receiver.js';
import { makeTempDir, removeTempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';

const { PATH = '' } = process.env;

const folder = makeTempDir();
const clones = makeRemote(folder);
const [dir, other, bin] = [clones.clone('a'), clones.clone('olga'), join(folder, 'bin')];
/** While it is there, it is a script: what git does at its next command, and whether it does. */
const rule = join(bin, 'rule');
let running: Receiver | undefined;

test.serial.before(async () => {
  fs.mkdirSync(bin);
  const script = `#!/bin/sh\nPATH='${PATH}'\nif [ -e '${rule}' ]; then . '${rule}'; fi\nexec git "$@"\n`;
  fs.writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
  running = await launchMachine(dir, { env: { PATH: `${bin}:${PATH}` } });
});
test.after.always(async () => {
  await running?.kill('SIGKILL');
  removeTempDir(folder);
});

/** The next git command with these words leaves locks behind, as one does that is killed. */
function killNext(words: string, locks: readonly string[]): void {
  const script = `case "$*" in *'${words}'*)
  rm '${rule}'
  mkdir -p .git/refs/pressmark
  ${locks.map((lock) => `: > '.git/${lock}'`).join('\n  ')}
  kill -9 $$;;
esac
`;
  fs.writeFileSync(`${rule}.new`, script);
  fs.renameSync(`${rule}.new`, rule);
}

const CASES = [
  {
    when: 'while it fetches',
    words: 'fetch --progress',
    locks: ['refs/remotes/origin/main.lock'],
  },
  {
    when: 'while the branch follows',
    words: 'pressmark: follow the remote',
    locks: ['refs/heads/main.lock', 'HEAD.lock', 'refs/pressmark/remote.lock'],
  },
];

for (const { when, words, locks } of CASES)
  test.serial(`200: a git that is killed ${when} fails no delivery, and the branch follows`, async (t) => {
    if (running === undefined) throw new Error('no receiver');
    killNext(words, locks);
    commitAndPush(other, 'notes.txt', `First, ${when}\n`);
    await until('git is killed', () => !fs.existsSync(rule));
    commitAndPush(other, 'notes.txt', `Second, ${when}\n`);
    t.is((await running.post('article.published', article())).status, 200);
    await until(
      'the branch follows',
      () => gitIn(dir, 'rev-parse', 'HEAD') === clones.git('rev-parse', 'main'),
    );
    t.is(fs.readFileSync(join(dir, 'notes.txt'), 'utf8'), `Second, ${when}\n`);
    // one of the owner's remote-tracking branch is for the owner to remove
    const ours = locks.filter((lock) => !lock.startsWith('refs/remotes/'));
    t.deepEqual(
      ours.filter((lock) => fs.existsSync(join(dir, '.git', lock))),
      [],
    );
    await until('the work tree is clean', () => gitIn(dir, 'status', '--porcelain') === '');
    fs.rmSync(join(dir, '.git', 'refs/remotes/origin/main.lock'), { force: true });
  });
