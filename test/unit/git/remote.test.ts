import test from 'ava';
import { PressmarkError } from '../../../src/errors.js';
import { redacted } from '../../../src/git/git.js';
import { pushedBy } from '../../../src/git/remote.js';

const NAME = 'the git remote origin';
const REF = 'refs/heads/main';

function read(code: number, ...lines: string[]) {
  const stdout = ['To https://example.org/site.git', ...lines, 'Done'].join('\n');
  return pushedBy({ code, stdout, bytes: Buffer.from(stdout) }, REF, NAME);
}

test('a push is accepted only where git says so', (t) => {
  t.deepEqual(read(0, ` \tabc:${REF}\t1..2`), { outcome: 'accepted' });
  t.deepEqual(read(0, `*\tabc:${REF}\t[new branch]`), { outcome: 'accepted' });
});

for (const what of [
  '[rejected] (fetch first)',
  '[rejected] (non-fast-forward)',
  '[rejected] (stale info)',
  '[remote rejected] (failed to update ref)',
  "[remote rejected] (cannot lock ref 'refs/heads/main': is at 1 but expected 2)",
  '[remote rejected] (incorrect old value provided)',
  '[remote rejected] (reference already exists)',
])
  test(`a push that somebody else was before is refused: ${what}`, (t) => {
    t.deepEqual(read(1, `!\tabc:${REF}\t${what}`), { outcome: 'refused' });
  });

test('a rule of the remote declines', (t) => {
  t.deepEqual(read(1, `!\tabc:${REF}\t[remote rejected] (pre-receive hook declined)`), {
    outcome: 'declined',
    why: 'pre-receive hook declined',
  });
});

test('whatever else is said, it is not known what became of the push', (t) => {
  for (const lines of [[], [`!\tabc:refs/heads/other\t[rejected] (fetch first)`], ['error: RPC failed']])
    t.is(t.throws(() => read(1, ...lines), { instanceOf: PressmarkError })?.code, 'REMOTE_UNAVAILABLE');
});

test('user names and passwords are taken out of whatever git says', (t) => {
  t.is(
    redacted("fatal: unable to access 'https://olga:s3cret@example.org/x.git/': no; see ssh://git@host/y"),
    "fatal: unable to access 'https://***@example.org/x.git/': no; see ssh://***@host/y",
  );
  t.is(
    redacted('http://token@h/ and mail to olga@example.org'),
    'http://***@h/ and mail to olga@example.org',
  );
});
