import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { pino } from 'pino';
import { openRepository } from '../../../../src/git/cli/repository.js';
import { createBeforeReplace } from '../../../../src/git/pending/before-replace.js';
import { gitEnvironment, gitIn } from '../../../support/clones.js';
import { tempDir } from '../../../support/temp-dir.js';

test('an update waits for git once in all, also where the long-running git hangs before the queue does', async (t) => {
  const dir = tempDir(t);
  gitIn(dir, 'init', '--quiet', '--initial-branch=main');
  fs.writeFileSync(join(dir, 'a.md'), 'text');
  const repository = await openRepository(dir, gitEnvironment(dir));
  if (repository.kind === 'none') throw new Error(repository.because);
  const waits: number[] = [];
  const kept: string[] = [];
  const beforeReplace = createBeforeReplace({
    repository: { ...repository, ask: () => new Promise<never>(() => undefined) },
    queue: {
      isFailing: false,
      async commitSoon(_, { limitMs }) {
        waits.push(limitMs);
        return undefined;
      },
    },
    replaced: {
      async keep(path, bytes) {
        kept.push(`${path} ${bytes}`);
        return path;
      },
      remove: async () => undefined,
    },
    log: pino({ level: 'silent' }),
    isBeforeAnswer: false,
    limitMs: 50,
  });
  await beforeReplace('a.md');
  // Nothing is left of the 50 ms; a timer may be a millisecond early.
  t.deepEqual(
    waits.map((ms) => ms <= 1),
    [true],
  );
  t.deepEqual(kept, ['a.md text']);
});
