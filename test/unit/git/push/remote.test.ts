import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { PressmarkError } from '../../../../src/errors.js';
import { type Git, redacted } from '../../../../src/git/git.js';
import { createRemote, pushedBy } from '../../../../src/git/push/remote.js';
import { openRepository } from '../../../../src/git/repository.js';
import { commitAndPush, gitEnvironment, gitIn, makeRemote } from '../../../support/clones.js';
import { tempDir } from '../../../support/temp-dir.js';

const NAME = 'the git remote origin';
const REF = 'refs/heads/main';

function read(code: number, ...lines: string[]) {
  const stdout = ['To https://example.org/site.git', ...lines, 'Done'].join('\n');
  return pushedBy({ code, stdout, stderr: '', bytes: Buffer.from(stdout) }, REF, NAME);
}

test('a push is accepted only where git says so', (t) => {
  t.deepEqual(read(0, ` \tabc:${REF}\t1..2`), { outcome: 'accepted' });
  t.deepEqual(read(0, `*\tabc:${REF}\t[new branch]`), { outcome: 'accepted' });
});

test('a push is refused where another receiver was first', (t) => {
  for (const what of [
    '[rejected] (fetch first)',
    '[remote rejected] (failed to update ref)',
    "[remote rejected] (cannot lock ref 'refs/heads/main': is at 1 but expected 2)",
    '[remote rejected] (incorrect old value provided)',
    '[remote rejected] (reference already exists)',
  ])
    t.deepEqual(read(1, `!\tabc:${REF}\t${what}`), { outcome: 'refused' }, what);
});

test('a push that a rule of the remote stops is declined, with the remote’s own words, and not how far it has come', (t) => {
  const stdout = `!\tabc:${REF}\t[remote rejected] (pre-receive hook declined)`;
  const progress = Array.from({ length: 9 }, (_, n) => `remote: Resolving deltas:   ${n}% (${n}/146)`);
  const stderr = `${progress.join('\r')}\nremote: error: GH006: Protected branch update failed.        \nremote: see https://a:b@c.example/\n`;
  t.deepEqual(pushedBy({ code: 1, stdout, stderr, bytes: Buffer.from(stdout) }, REF, NAME), {
    outcome: 'declined',
    why: 'pre-receive hook declined; GH006: Protected branch update failed.; see https://***@c.example/',
  });
});

test('any other answer to a push leaves its end unknown', (t) => {
  for (const lines of [[], [`!\tabc:refs/heads/other\t[rejected] (fetch first)`], ['error: RPC failed']])
    t.is(t.throws(() => read(1, ...lines), { instanceOf: PressmarkError })?.code, 'REMOTE_UNAVAILABLE');
});

test('user names and passwords are taken out of git’s messages', (t) => {
  t.is(
    redacted("fatal: unable to access 'https://olga:s3cret@example.org/x.git/': no; see ssh://git@host/y"),
    "fatal: unable to access 'https://***@example.org/x.git/': no; see ssh://***@host/y",
  );
  t.is(
    redacted('http://token@h/ and mail to olga@example.org'),
    'http://***@h/ and mail to olga@example.org',
  );
});

test('a ref whose name ends in that of the branch is not taken for it', async (t) => {
  let listed = 'abc\trefs/backup/refs/heads/main\n';
  const git: Git = async (args) => {
    const stdout = args[0] === 'ls-remote' ? listed : '';
    return { code: 0, stdout, stderr: '', bytes: Buffer.from(stdout) };
  };
  const remote = await createRemote({ git }, { branch: 'main' }, {});
  t.is(await remote.fetch(null), null);
  listed += 'def\trefs/heads/main\n';
  t.is(await remote.fetch(null), 'def');
});

test('a fetch finds the last commit or no branch at all, and leaves the owner’s FETCH_HEAD alone', async (t) => {
  const clones = makeRemote(tempDir(t));
  const dir = clones.clone('a');
  gitIn(dir, 'fetch', '--quiet');
  const own = fs.readFileSync(join(dir, '.git', 'FETCH_HEAD'), 'utf8');
  const tip = commitAndPush(clones.clone('b'), 'page.md', 'text\n');
  const repository = await openRepository(dir, gitEnvironment(dir));
  if (repository.kind === 'none') return t.fail(repository.because);
  const fetchIn = async (branch: string, known: string | null) =>
    (await createRemote(repository, { branch }, {})).fetch(known);
  t.is(await fetchIn('main', null), tip);
  t.is(gitIn(dir, 'show', `${tip}:page.md`), 'text\n');
  t.is(await fetchIn('main', tip), tip);
  t.is(await fetchIn('other', null), null);
  t.is(fs.readFileSync(join(dir, '.git', 'FETCH_HEAD'), 'utf8'), own);
});
