import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import { pino } from 'pino';
import { openRepository } from '../../../../src/git/cli/repository.js';
import { watchRepository } from '../../../../src/git/pending/repository-watch.js';
import { gitEnvironment, gitIn } from '../../../support/clones.js';
import { tempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';

test('a move of the branch that git could not judge is judged again', async (t) => {
  const dir = tempDir(t);
  gitIn(dir, 'init', '--quiet', '--initial-branch=main');
  gitIn(dir, 'commit', '--quiet', '--allow-empty', '-m', 'First');
  gitIn(dir, 'commit', '--quiet', '--allow-empty', '-m', 'Second');
  const repository = await openRepository(dir, gitEnvironment(dir));
  if (repository.kind === 'none') throw new Error(repository.because);
  let failures = 0;
  let moves = 0;
  mock.timers.enable({ apis: ['setInterval'] });
  t.teardown(() => mock.timers.reset());
  const end = await watchRepository({
    repository: {
      ...repository,
      git: async (args, run) => {
        if (args[0] === 'merge-base' && failures++ === 0) throw new Error('git fails');
        return repository.git(args, run);
      },
    },
    locker: { announce: async () => undefined, sweepDeadReceivers: async () => 0 },
    log: pino({ level: 'silent' }),
    lastCommit: () => undefined,
    onDeadReceiver: () => undefined,
    onMoved: () => moves++,
  });
  gitIn(dir, 'reset', '--quiet', '--hard', 'HEAD^');
  await until('the move is reported', async () => {
    mock.timers.tick(5_000);
    await setImmediate();
    return moves > 0;
  });
  t.is(moves, 1);
  end();
});
