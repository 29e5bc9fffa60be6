import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { commitAndPush, commitFile, gitIn, launchIn, settings } from '../../support/clones.js';
import { update } from '../../support/events.js';
import { run } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { idsOnRemote, makePushingSite, type PushingSite, personPushes } from './pushing-site.js';

test.serial('commits are pushed, all that have gathered at once, and the status says so', async (t) => {
  const site = await makePushingSite(t);
  const ids = await Promise.all(Array.from({ length: 10 }, site.publish));
  await until(() => idsOnRemote(site).length === ids.length);
  t.deepEqual(idsOnRemote(site).sort(), ids.sort());
  await until(async () => (await site.status()).waiting === 0);
  const { lastPush, lastError, waitingFor } = await site.status();
  t.truthy(lastPush);
  t.deepEqual({ lastError, waitingFor }, { lastError: null, waitingFor: null });
  const pushes = site.receiver.log.filter(({ msg }) => msg === 'pushed').length;
  t.true(pushes >= 1 && pushes < ids.length, `${pushes} pushes`);
  await until(() => fs.existsSync(join(site.dir, '.pressmark', 'push.json')));
  const doctor = await run(['doctor', '--dir', site.dir, '--json']);
  t.regex(doctor.stdout, /everything is pushed/);
  t.regex(doctor.stdout, /pushed last at 20/);
});

test.serial(
  'where people have pushed meanwhile, their commits are taken in as they are, and ours go on top',
  async (t) => {
    const site = await makePushingSite(t);
    await site.publish();
    await until(() => idsOnRemote(site).length === 1);
    const theirs = personPushes(site, 'about.txt', 'by hand\n');
    fs.writeFileSync(join(site.dir, 'notes.txt'), 'not yet committed\n');
    await site.publish();
    await until(() => idsOnRemote(site).length === 2);
    site.clones.git('merge-base', '--is-ancestor', theirs, 'main');
    t.is(fs.readFileSync(join(site.dir, 'about.txt'), 'utf8'), 'by hand\n');
    await until(() => gitIn(site.dir, 'rev-parse', 'HEAD') === site.clones.git('rev-parse', 'main'));
    t.is(gitIn(site.dir, 'status', '--porcelain'), '?? notes.txt\n');
    t.is(gitIn(site.dir, 'fsck', '--full', '--no-dangling').trim(), '');
  },
);

test.serial(
  'where both sides have commits of people it waits for a person, and goes on when they have merged',
  async (t) => {
    let [here, there] = ['', ''];
    // before it starts, as it pushes at once what it finds
    const prepare = (site: Pick<PushingSite, 'clones' | 'dir'>) => {
      here = commitFile(site.dir, 'here.txt', 'here\n');
      there = personPushes(site, 'there.txt', 'there\n');
    };
    const site = await makePushingSite(t, { prepare });
    const id = await site.publish();
    await until(async () => (await site.status()).waitingFor !== null);
    t.regex((await site.status()).waitingFor ?? '', /git pull/);
    t.is(site.clones.git('rev-parse', 'main').trim(), there, 'nothing was forced');
    t.is(gitIn(site.dir, 'rev-list', '--merges', '--count', 'HEAD').trim(), '0');
    const doctor = await run(['doctor', '--dir', site.dir]);
    t.regex(doctor.stdout, /commits? (is|are) not pushed/);

    await until(() => gitIn(site.dir, 'status', '--porcelain') === '');
    gitIn(site.dir, 'pull', '--quiet', '--no-rebase', '--no-edit');
    await until(() => idsOnRemote(site).includes(id));
    for (const one of [here, there]) site.clones.git('merge-base', '--is-ancestor', one, 'main');
    await until(async () => (await site.status()).waitingFor === null);
    t.pass();
  },
);

test.serial('what a person has not committed stays, when others change the same file', async (t) => {
  const site = await makePushingSite(t);
  const own = site.clones.clone('olga');
  const name = 'shared.txt';
  commitAndPush(own, name, 'first\n');
  await site.publish();
  await until(() => fs.existsSync(join(site.dir, name)));
  fs.writeFileSync(join(site.dir, name), 'mine, not committed\n');
  fs.writeFileSync(join(site.dir, 'new.txt'), 'mine, new\n');
  commitAndPush(own, 'new.txt', 'theirs, new\n');
  commitAndPush(own, name, 'theirs\n');
  const id = await site.publish();
  await until(() => idsOnRemote(site).includes(id));
  await until(() => gitIn(site.dir, 'rev-parse', 'HEAD') === site.clones.git('rev-parse', 'main'));
  t.is(fs.readFileSync(join(site.dir, name), 'utf8'), 'mine, not committed\n');
  t.is(fs.readFileSync(join(site.dir, 'new.txt'), 'utf8'), 'mine, new\n');
  t.is(gitIn(site.dir, 'show', `HEAD:${name}`), 'theirs\n');
  t.true(site.receiver.log.some(({ path, why }) => path === name && /not committed/.test(String(why))));
});

/** A receiver that commits edits, beside one that was made from an older version than others have pushed. */
async function siteWithLeftEdit(t: ExecutionContext) {
  const site = await makePushingSite(t);
  const edited = await site.publish();
  await until(() => idsOnRemote(site).includes(edited));
  const own = site.clones.clone('olga');
  const path = [...site.clones.articles().keys()][0] ?? '';
  const file = join(site.dir, path);
  const text = fs.readFileSync(file, 'utf8');
  const [theirs, mine] = [`${text}\nTheirs.\n`, `${text}\nMine.\n`];
  fs.writeFileSync(file, mine);
  commitAndPush(own, path, theirs);
  // the push is refused, and the branch follows without the file
  const other = await site.publish();
  await until(() => idsOnRemote(site).includes(other));
  await until(() => gitIn(site.dir, 'show', `HEAD:${path}`) === theirs);
  t.is(await site.receiver.stop(), 0);

  const config = settings({ durability: 'disk', git: { push: { debounce: 100 }, commitEdits: true } });
  fs.writeFileSync(join(site.dir, 'pressmark.config.json'), JSON.stringify(config));
  const receiver = await launchIn(site.dir);
  t.teardown(() => receiver.kill('SIGKILL'));
  await until(() => receiver.log.some(({ msg }) => /^your edit is not committed/.test(String(msg))));
  t.is(fs.readFileSync(file, 'utf8'), mine);
  t.is(gitIn(site.dir, 'show', `HEAD:${path}`), theirs);
  return { site, receiver, id: edited, path, file, theirs, mine };
}

test.serial('an edit is not committed over what others have pushed meanwhile', async (t) => {
  const { site, receiver, path, file, theirs } = await siteWithLeftEdit(t);
  // Taken over and gone on from there, it is an edit like any other.
  const begun = receiver.log.length;
  gitIn(site.dir, 'restore', path);
  await until(() => !fs.existsSync(join(site.dir, '.git/pressmark/left-behind.json')));
  fs.writeFileSync(file, `${theirs}\nAnd mine.\n`);
  await until(() => site.clones.articles().get(path) === `${theirs}\nAnd mine.\n`);
  t.false(receiver.log.slice(begun).some(({ msg }) => /^your edit is not committed/.test(String(msg))));
  t.is(await receiver.stop(), 0);
});

test.serial('nor is it when an update replaces it: then it is left to its owner as a file', async (t) => {
  const { site, receiver, id, path, mine } = await siteWithLeftEdit(t);
  const url: string = JSON.parse(/^url: (.*)$/m.exec(mine)?.[1] ?? '');
  const { revision_id: base } = await receiver.find(url);
  const request = update({ target_id: id, target_url: url, base_revision_id: base });
  t.is((await receiver.post('article.updated', request)).status, 200);
  const left = join(site.dir, '.pressmark', 'left-edits');
  await until(() => fs.existsSync(left));
  t.is(await receiver.stop(), 0);
  t.deepEqual(
    fs.readdirSync(left).map((name) => fs.readFileSync(join(left, name), 'utf8')),
    [mine],
  );
  t.notRegex(gitIn(site.dir, 'log', '--format=%s', '--', path), /^Edit: /m);
});

test.serial('a remote that is away for a while gets everything when it is back', async (t) => {
  const site = await makePushingSite(t);
  fs.renameSync(site.clones.remote, `${site.clones.remote}.away`);
  const ids = [await site.publish(), await site.publish()];
  await until(async () => (await site.status()).lastError !== null);
  t.is((await fetch(`${site.receiver.origin}/healthz`)).status, 200, 'articles can be stored all the same');
  const told = join(site.dir, '.pressmark', 'push.json');
  await until(() => fs.existsSync(told) && /"lastError": ?"/.test(fs.readFileSync(told, 'utf8')));
  const doctor = await run(['doctor', '--dir', site.dir]);
  t.regex(doctor.stdout, /last error: .*the git remote origin/);
  fs.renameSync(`${site.clones.remote}.away`, site.clones.remote);
  await until(() => idsOnRemote(site).length === ids.length);
  await until(async () => (await site.status()).lastError === null);
  t.pass();
});

test.serial('a stop pushes what waits', async (t) => {
  const site = await makePushingSite(t, { push: { debounce: 600_000 } });
  const id = await site.publish();
  t.is(await site.receiver.stop(), 0);
  t.deepEqual(idsOnRemote(site), [id]);
});

test.serial('nobody is asked for a password, and none is ever written down', async (t) => {
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
  const site = await makePushingSite(t, {
    push: { remote: `http://olga:geheim-1234@127.0.0.1:${port}/site.git` },
    env: { GIT_ASKPASS: askpass, SSH_ASKPASS: askpass, DISPLAY: ':0' },
  });
  await site.publish();
  await until(async () => (await site.status()).lastError !== null);
  t.true(asked > 0);
  t.false(fs.existsSync(witness));
  const doctor = await run(['doctor', '--dir', site.dir], { GIT_ASKPASS: askpass });
  const said = [JSON.stringify(site.receiver.log), site.receiver.stderr(), doctor.stdout, doctor.stderr];
  for (const text of [...said, JSON.stringify(await site.status())]) t.notRegex(text, /geheim|olga:/);
  t.true(
    said.some((text) => text.includes(`127.0.0.1:${port}`)),
    'the rest of the address is told',
  );
});
