import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createRemote } from '../../../src/git/remote.js';
import { openRepository } from '../../../src/git/repository.js';
import { gitIn, launchIn } from '../../support/clones.js';
import { fileOf } from '../../support/content.js';
import { update } from '../../support/events.js';
import { type Receiver, run } from '../../support/receiver.js';
import { until } from '../../support/until.js';
import { idsOnRemote, makePushingSite } from './pushing-site.js';
import { environment, makeSite } from './site.js';

/** Updates an article, on the revision that this receiver knows. */
async function change({ find, post }: Receiver, id: string, url: string) {
  const { revision_id: base } = await find(url);
  const data = update({ target_id: id, target_url: url, base_revision_id: base });
  return { revision: data.revision_id, status: (await post('article.updated', data)).status };
}

test('where two clones have updated one article, it waits for a person, and goes on from there', async (t) => {
  const site = await makePushingSite(t);
  const id = await site.publish();
  await until('the article is on the remote', () => idsOnRemote(site).length === 1);
  const file = fileOf(site.dir, id);
  const url: string = JSON.parse(/^url: (.*)$/m.exec(fs.readFileSync(file, 'utf8'))?.[1] ?? '');

  const other = await launchIn(site.clones.clone('other'));
  t.teardown(() => other.kill('SIGKILL'));
  t.is((await change(other, id, url)).status, 200);
  t.is(await other.stop(), 0);
  const theirs = site.clones.git('rev-parse', 'main');
  const mine = await change(site.receiver, id, url);
  t.is(mine.status, 200, 'from the disk, which knows nothing of the other clone');

  await until(
    'the status says that it waits for a person',
    async () => (await site.status()).waitingFor !== null,
  );
  t.regex((await site.status()).waitingFor ?? '', /git pull.*change the same lines/);
  t.is((await fetch(`${site.receiver.origin}/healthz`)).status, 200, 'articles can be stored all the same');
  t.is(site.clones.git('rev-parse', 'main'), theirs, 'nothing was forced');
  t.is(gitIn(site.dir, 'rev-list', '--merges', '--count', 'HEAD').trim(), '0');
  const text = fs.readFileSync(file, 'utf8');
  t.true(text.includes(mine.revision), 'the file is as it was delivered');
  const told = join(site.dir, '.pressmark', 'push.json');
  await until(
    'what it waits for is written for doctor',
    () => fs.existsSync(told) && fs.readFileSync(told, 'utf8').includes('git pull'),
  );
  const doctor = await run(['doctor', '--dir', site.dir]);
  t.regex(doctor.stdout, /waits for you to merge main/);

  await until('the update is committed', () => gitIn(site.dir, 'status', '--porcelain') === '');
  gitIn(site.dir, 'pull', '--quiet', '--no-rebase', '--no-edit', '-X', 'ours');
  await until(
    'the merge is pushed',
    () => site.clones.git('rev-parse', 'main') === gitIn(site.dir, 'rev-parse', 'HEAD'),
  );
  site.clones.git('merge-base', '--is-ancestor', theirs.trim(), 'main');
  t.deepEqual([...site.clones.articles().values()], [text]);
  await until('the status waits for nobody', async () => (await site.status()).waitingFor === null);
  const next = await site.publish();
  await until('the next article is on the remote', () => idsOnRemote(site).includes(next));
});

for (const [variant, asks] of [
  [undefined, true],
  // it knows no such option
  ['plink', false],
] as const)
  test(`${variant ?? 'OpenSSH'} is ${asks ? 'told to ask nobody' : 'called as it is'}`, async (t) => {
    const site = await makeSite(t);
    const [script, calls] = [join(site.top, '..', 'ssh.sh'), join(site.top, '..', 'calls')];
    fs.writeFileSync(script, `#!/bin/sh\necho "$*" >> '${calls}'\nexit 255\n`, { mode: 0o755 });
    await site.git('config', 'core.sshCommand', `'${script}'`);
    if (variant !== undefined) await site.git('config', 'ssh.variant', variant);
    const env = environment(join(site.top, '..', 'home'));
    const repository = await openRepository(site.dir, env);
    if ('because' in repository) throw new Error(repository.because);
    const remote = await createRemote(repository, { remote: 'git@ssh.example:site.git' }, env);
    await t.throwsAsync(remote.fetch(null), { code: 'REMOTE_UNAVAILABLE' });
    const lines = fs.readFileSync(calls, 'utf8').trim().split('\n');
    t.true(lines.some((line) => line.includes('git@ssh.example')));
    for (const line of lines) t.is(line.includes('-o BatchMode=yes'), asks, line);
  });
