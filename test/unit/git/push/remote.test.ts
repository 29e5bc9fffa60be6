import fs from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { PressmarkError } from '../../../../src/errors.js';
import { type Git, redacted } from '../../../../src/git/git.js';
import { wordsOf } from '../../../../src/git/push/push-status.js';
import { createRemote, pushedBy, remoteUrlOf } from '../../../../src/git/push/remote.js';
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
  for (const lines of [
    [],
    [`!\tabc:refs/heads/other\t[rejected] (fetch first)`],
    [`!\tabc:${REF}\t[remote failure] (remote failed to report status)`],
    ['error: RPC failed'],
  ])
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
  t.is(await remoteUrlOf(repository), clones.remote);
  t.is(await fetchIn('main', null), tip);
  t.is(gitIn(dir, 'show', `${tip}:page.md`), 'text\n');
  t.is(await fetchIn('main', tip), tip);
  t.is(await fetchIn('other', null), null);
  t.is(fs.readFileSync(join(dir, '.git', 'FETCH_HEAD'), 'utf8'), own);
});

/** A new repository, and a program that it calls for a connection, which notes with what. */
async function withProgram(t: ExecutionContext) {
  const dir = tempDir(t);
  const [program, calls] = [join(dir, 'program.sh'), join(dir, 'calls')];
  fs.writeFileSync(program, `#!/bin/sh\necho "$*" >> '${calls}'\nexit 255\n`, { mode: 0o755 });
  gitIn(dir, 'init', '--quiet', '--initial-branch=main');
  const repository = await openRepository(dir, gitEnvironment(dir));
  if (repository.kind === 'none') throw new Error(repository.because);
  const called = () => fs.readFileSync(calls, { encoding: 'utf8', flag: 'a+' }).split('\n').filter(Boolean);
  return { dir, repository, program, calls, called };
}

test('nobody is asked for a password, and none is in what is said of the remote', async (t) => {
  let asked = 0;
  const server = createServer((_, response) => {
    asked++;
    response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="git"' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { dir, program, called } = await withProgram(t);
  const env = { ...gitEnvironment(dir), GIT_ASKPASS: program, SSH_ASKPASS: program, DISPLAY: ':0' };
  const repository = await openRepository(dir, env);
  if (repository.kind === 'none') throw new Error(repository.because);
  const remote = await createRemote(repository, { remote: `http://olga:geheim-1234@${host}/site.git` }, env);
  const error = await t.throwsAsync(remote.fetch(null), { code: 'REMOTE_UNAVAILABLE' });
  t.true(asked > 0);
  t.deepEqual(called(), []);
  t.notRegex(wordsOf(error), /geheim|olga:/);
  t.true(wordsOf(error).includes(host), 'the rest of the address is told');
});

test('OpenSSH is called with BatchMode=yes, so that it asks nobody; other programs know no such option', async (t) => {
  const { dir, repository, program, calls, called } = await withProgram(t);
  gitIn(dir, 'config', 'core.sshCommand', program);
  for (const asksNobody of [true, false]) {
    if (!asksNobody) gitIn(dir, 'config', 'ssh.variant', 'plink');
    const remote = await createRemote(
      repository,
      { remote: 'git@ssh.example:site.git' },
      gitEnvironment(dir),
    );
    fs.rmSync(calls, { force: true });
    await t.throwsAsync(remote.fetch(null), { code: 'REMOTE_UNAVAILABLE' });
    t.true(called().some((line) => line.includes('git@ssh.example')));
    for (const line of called()) t.is(line.includes('-o BatchMode=yes'), asksNobody, line);
  }
});
