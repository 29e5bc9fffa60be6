import fs from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test from 'ava';
import { gitIn, inClone, makeRemote } from '../../../support/clones.js';
import { runHere } from '../../../support/in-process.js';
import { startHere } from '../../../support/receiver-here.js';
import { tempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';
import { configure, publish, statusOf } from './pushing-site.js';

const PROTECTED = `#!/bin/sh
echo 'error: GH006: Protected branch update failed for refs/heads/main.' >&2
echo 'error: Changes must be made through a pull request.' >&2
exit 1
`;

const doctor = async (dir: string) => (await runHere(['doctor', '--dir', dir])).stdout;
const status = async (dir: string) => (await runHere(['status', '--dir', dir])).stdout;

test('a push that a protected branch declines, or for which this user has no rights, is not called tried again by itself', async (t) => {
  const clones = makeRemote(tempDir(t));
  fs.writeFileSync(join(clones.remote, 'hooks', 'pre-receive'), PROTECTED, { mode: 0o755 });
  const server = createServer((_, response) => response.writeHead(403).end('no'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const dir = clones.clone('site');
  configure(dir, { push: { debounce: 50 } });
  const receiver = await startHere(t, inClone(dir));
  await publish(receiver);
  await until('the status says that it was declined', async () => (await statusOf(receiver)).isDeclined);
  const said =
    /declined the push: pre-receive hook declined; GH006: Protected branch update failed .*; Changes must be made through a pull request\./;
  t.regex((await statusOf(receiver)).lastError ?? '', said);
  let told = '';
  await until('the status file says so', async () => {
    told = await doctor(dir);
    return said.test(told);
  });
  t.regex(told, /change the rules of the branch or the rights of this user/);
  const shown = await status(dir);
  t.regex(shown, said);
  const log = () => JSON.stringify(receiver.log);
  await until('the log says so', () => log().includes('GH006'));
  for (const text of [told, shown, log()]) t.notRegex(text, /tr(?:ied|ies) again/);

  gitIn(dir, 'remote', 'set-url', '--push', 'origin', `http://127.0.0.1:${port}/site.git`);
  const forbidden = async () => /returned error: 403/.test((await statusOf(receiver)).lastError ?? '');
  await until('the status says so', forbidden);
  t.true((await statusOf(receiver)).isDeclined);
  t.notRegex(log(), /tried again/);

  // The same where answers wait for the push: then a fetch is what the remote forbids.
  const other = makeRemote(tempDir(t)).clone('site');
  const waiting = await startHere(t, inClone(other));
  gitIn(other, 'remote', 'set-url', 'origin', `http://127.0.0.1:${port}/site.git`);
  const its = () => JSON.stringify(waiting.log);
  await until('its log says so', () => its().includes('the git remote does not allow it'));
  t.true((await statusOf(waiting)).isDeclined);
  t.notRegex(its(), /tried again/);
});

test('nor is a deploy to a protected branch', async (t) => {
  const clones = makeRemote(tempDir(t), undefined, {
    durability: 'disk',
    git: {},
    site: { search: false },
    deploy: { branch: 'pages' },
  });
  fs.writeFileSync(join(clones.remote, 'hooks', 'pre-receive'), PROTECTED, { mode: 0o755 });
  const dir = clones.clone('site');
  const receiver = await startHere(t, inClone(dir));
  await publish(receiver);
  const failures = () => receiver.log.filter(({ msg }) => msg.startsWith('the site could not be deployed'));
  await until('the log says so', () => failures().length > 0);
  t.is(failures()[0]?.msg, 'the site could not be deployed; the remote does not allow it');
  const said = /branch pages: never deployed; failed .* declined the push to pages: .*GH006/;
  for (const show of [status, doctor]) {
    let shown = '';
    await until('it is shown', async () => {
      shown = await show(dir);
      return said.test(shown);
    });
    t.regex(shown, /change the rules of the branch or the rights of this user; the site stays/);
    t.notRegex(shown, /tr(?:ied|ies) again/);
  }
});
