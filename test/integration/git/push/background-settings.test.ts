import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test from 'ava';
import { createRemote } from '../../../../src/git/push/remote.js';
import { openRepository } from '../../../../src/git/repository.js';
import { gitEnvironment, gitIn } from '../../../support/clones.js';
import { runHere } from '../../../support/in-process.js';
import { tempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';
import { makePushingSite, publish, statusOf } from './pushing-site.js';

test('nobody is asked for a password, and none is ever written down', async (t) => {
  let asked = 0;
  const server = http.createServer((_, response) => {
    asked++;
    response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="git"' }).end();
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const witness = join(tempDir(t), 'asked');
  const askpass = `${witness}.sh`;
  fs.writeFileSync(askpass, `#!/bin/sh\ntouch '${witness}'\necho no\n`, { mode: 0o755 });
  const { dir, receiver } = await makePushingSite(tempDir(t), {
    push: { remote: `http://olga:geheim-1234@127.0.0.1:${port}/site.git` },
    env: { GIT_ASKPASS: askpass, SSH_ASKPASS: askpass, DISPLAY: ':0' },
  });
  t.teardown(() => receiver.close());
  await publish(receiver);
  await until('the error is in the status', async () => (await statusOf(receiver)).lastError !== null);
  t.true(asked > 0);
  t.false(fs.existsSync(witness));
  const doctor = await runHere(['doctor', '--dir', dir], { GIT_ASKPASS: askpass });
  const said = [JSON.stringify(receiver.log), doctor.stdout, doctor.stderr];
  for (const text of [...said, JSON.stringify(await statusOf(receiver))]) t.notRegex(text, /geheim|olga:/);
  t.true(
    said.some((text) => text.includes(`127.0.0.1:${port}`)),
    'the rest of the address is told',
  );
});

test('OpenSSH is called with BatchMode=yes, so that it asks nobody; other programs know no such option', async (t) => {
  const dir = tempDir(t);
  const [script, calls] = [join(dir, 'ssh.sh'), join(dir, 'calls')];
  fs.writeFileSync(script, `#!/bin/sh\necho "$*" >> '${calls}'\nexit 255\n`, { mode: 0o755 });
  gitIn(dir, 'init', '--quiet', '--initial-branch=main');
  gitIn(dir, 'config', 'core.sshCommand', script);
  const env = gitEnvironment(dir);
  const repository = await openRepository(dir, env);
  if (repository.kind === 'none') throw new Error(repository.because);
  for (const asksNobody of [true, false]) {
    if (!asksNobody) gitIn(dir, 'config', 'ssh.variant', 'plink');
    const remote = await createRemote(repository, { remote: 'git@ssh.example:site.git' }, env);
    fs.rmSync(calls, { force: true });
    await t.throwsAsync(remote.fetch(null), { code: 'REMOTE_UNAVAILABLE' });
    const lines = fs.readFileSync(calls, 'utf8').trim().split('\n');
    t.true(lines.some((line) => line.includes('git@ssh.example')));
    for (const line of lines) t.is(line.includes('-o BatchMode=yes'), asksNobody, line);
  }
});
