import fs from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { gitIn, inClone, makeRemote } from '../../../support/clones.js';
import { article } from '../../../support/events.js';
import { runHere } from '../../../support/in-process.js';
import { startHere } from '../../../support/receiver-here.js';
import { tempDir } from '../../../support/temp-dir.js';
import { patienceMs, until } from '../../../support/until.js';
import { publish, statusOf } from './pushing-site.js';

const PROTECTED = `#!/bin/sh
echo 'error: GH006: Protected branch update failed for refs/heads/main.' >&2
echo 'error: Changes must be made through a pull request.' >&2
exit 1
`;

/** Waits until `status` and `doctor` show it; neither calls it tried again by itself. @param repair how it can be mended. */
async function isShown(t: ExecutionContext, dir: string, said: RegExp, repair: RegExp): Promise<void> {
  for (const command of ['status', 'doctor']) {
    let shown = '';
    await until(`${command} says ${said}`, async () => {
      shown = (await runHere([command, '--dir', dir])).stdout;
      return said.test(shown);
    });
    t.regex(shown, repair);
    t.notRegex(shown, /tr(?:ied|ies) again/);
  }
}

/** A server whose answer to everything is that it is forbidden. @returns its URL. */
async function forbidding(t: ExecutionContext): Promise<string> {
  const server = createServer((_, response) => response.writeHead(403).end('no'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/site.git`;
}

test('a push and a deploy that a protected branch declines, or for which this user has no rights, are not called tried again by themselves', async (t) => {
  const clones = makeRemote(tempDir(t), undefined, {
    durability: 'disk',
    git: { push: { debounce: 50 } },
    site: { search: false },
    deploy: { branch: 'pages' },
  });
  fs.writeFileSync(join(clones.remote, 'hooks', 'pre-receive'), PROTECTED, { mode: 0o755 });
  const dir = clones.clone('site');
  const receiver = await startHere(t, inClone(dir));
  await publish(receiver);
  await until('the status says that it was declined', async () => (await statusOf(receiver)).isDeclined);
  const said =
    /declined the push: pre-receive hook declined; GH006: Protected branch update failed .*; Changes must be made through a pull request\./;
  t.regex((await statusOf(receiver)).lastError ?? '', said);
  const log = () => JSON.stringify(receiver.log);
  await until('the log says so', () => log().includes('GH006'));
  const failures = () => receiver.log.filter(({ msg }) => msg.startsWith('the site could not be deployed'));
  await until('the log says so of the deploy', () => failures().length > 0);
  t.is(failures()[0]?.msg, 'the site could not be deployed; the remote does not allow it');
  await isShown(t, dir, said, /change the rules of the branch or the rights of this user/);
  await isShown(
    t,
    dir,
    /branch pages: never deployed; failed .* declined the push to pages: .*GH006/,
    /change the rules of the branch or the rights of this user; the site stays/,
  );

  gitIn(dir, 'remote', 'set-url', '--push', 'origin', await forbidding(t));
  const forbidden = async () => /returned error: 403/.test((await statusOf(receiver)).lastError ?? '');
  await until('the status says so', forbidden);
  t.true((await statusOf(receiver)).isDeclined);
  t.notRegex(log(), /tried again/);
});

test('500: an article that the remote declines does not fail its neighbours, and is stored when the remote wants it; a fetch that is forbidden is not called tried again', async (t) => {
  // AVA ends a test in which nothing happens; a busy machine's remote may take only what is sent again after twenty seconds.
  t.timeout(2 * patienceMs(), 'the remote takes what is sent again');
  const clones = makeRemote(tempDir(t));
  const hook = join(clones.remote, 'hooks', 'update');
  const refused =
    '#!/bin/sh\ngit ls-tree -r --name-only "$3" | grep -q forbidden || exit 0\necho \'No such slugs here.\'\nexit 1\n';
  fs.writeFileSync(hook, refused, { mode: 0o755 });
  const dir = clones.clone('site');
  const receiver = await startHere(t, { ...inClone(dir), resend: true });
  const all = ['one', 'forbidden', 'two', 'three'].map((slug) => article({ slug }));
  const publishAll = () =>
    Promise.all(all.map((data) => receiver.post('article.published', data).then(({ status }) => status)));
  t.deepEqual(await publishAll(), [200, 500, 200, 200]);
  t.is((await receiver.post('article.published', all[1])).status, 500, 'again, by itself');
  const { isDeclined, lastError } = await statusOf(receiver);
  t.true(isDeclined);
  const said = /the git remote origin declined the push: hook declined; No such slugs here\./;
  t.regex(lastError ?? '', said);
  await isShown(t, dir, said, /change the rules of the branch or the rights of this user/);
  t.is(clones.articles().size, 3);
  await until('the log says why', () =>
    receiver.log.some(({ level, why }) => level === 50 && String(why).includes('No such slugs here.')),
  );
  fs.rmSync(hook);
  t.deepEqual(await publishAll(), [200, 200, 200, 200]);
  t.is(clones.articles().size, 4);

  gitIn(dir, 'remote', 'set-url', 'origin', await forbidding(t));
  const log = () => JSON.stringify(receiver.log);
  await until('the log says so', () => log().includes('the git remote does not allow it'));
  t.true((await statusOf(receiver)).isDeclined);
  t.notRegex(log(), /tried again/);
});
