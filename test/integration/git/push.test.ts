import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test from 'ava';
import { commitAndPush, commitFile, gitIn, launchIn, settings } from '../../support/clones.js';
import { fileOf } from '../../support/content.js';
import { update } from '../../support/events.js';
import { type Receiver, run } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { idsOnRemote, lastingFor, makePushingSite, type PushingSite, personPushes } from './pushing-site.js';

// One site for most tests, whose receiver is started anew where edits are to be committed.
const lasting = lastingFor(test);
let site: PushingSite;
test.serial.before(async () => {
  site = await makePushingSite(lasting);
});

/** Git is asked again whenever the receiver has said something, such as that it has pushed. */
function untilOnRemote(one: PushingSite, ...ids: string[]) {
  let lines = -1;
  return until('the articles are on the remote', () => {
    if (one.receiver.log.length === lines) return false;
    lines = one.receiver.log.length;
    const there = idsOnRemote(one);
    return ids.every((id) => there.includes(id));
  });
}

const untilFollowed = ({ dir, clones }: PushingSite) =>
  until(
    'the branch is where that of the remote is',
    () => gitIn(dir, 'rev-parse', 'HEAD') === clones.git('rev-parse', 'main'),
  );

test.serial('commits are pushed, all that have gathered at once, and the status says so', async (t) => {
  const ids = await Promise.all(Array.from({ length: 10 }, site.publish));
  await untilOnRemote(site, ...ids);
  t.deepEqual(idsOnRemote(site).sort(), ids.sort());
  await until('nothing waits for a push', async () => (await site.status()).waiting === 0);
  const { lastPush, lastError, waitingFor } = await site.status();
  t.truthy(lastPush);
  t.deepEqual({ lastError, waitingFor }, { lastError: null, waitingFor: null });
  const pushes = site.receiver.log.filter(({ msg }) => msg === 'pushed').length;
  t.true(pushes >= 1 && pushes < ids.length, `${pushes} pushes`);
  const told = join(site.dir, '.pressmark', 'push.json');
  await until(
    'the status is written for doctor',
    () => fs.existsSync(told) && /"lastPush":"20.*"waiting":0,/.test(fs.readFileSync(told, 'utf8')),
  );
  const doctor = await run(['doctor', '--dir', site.dir, '--json']);
  t.regex(doctor.stdout, /everything is pushed/);
  t.regex(doctor.stdout, /pushed last at 20/);
});

test.serial(
  'where people have pushed meanwhile, their commits are taken in as they are, and ours go on top',
  async (t) => {
    const theirs = personPushes(site, 'about.txt', 'by hand\n');
    const notes = join(site.dir, 'notes.txt');
    fs.writeFileSync(notes, 'not yet committed\n');
    await untilOnRemote(site, await site.publish());
    site.clones.git('merge-base', '--is-ancestor', theirs, 'main');
    t.is(fs.readFileSync(join(site.dir, 'about.txt'), 'utf8'), 'by hand\n');
    await untilFollowed(site);
    t.is(gitIn(site.dir, 'status', '--porcelain'), '?? notes.txt\n');
    t.is(gitIn(site.dir, 'fsck', '--full', '--no-dangling').trim(), '');
    fs.rmSync(notes);
  },
);

test('where both sides have commits of people it waits for a person, and goes on when they have merged', async (t) => {
  let [here, there] = ['', ''];
  // before it starts, as it pushes at once what it finds
  const prepare = (site: Pick<PushingSite, 'clones' | 'dir'>) => {
    here = commitFile(site.dir, 'here.txt', 'here\n');
    there = personPushes(site, 'there.txt', 'there\n');
  };
  const own = await makePushingSite(t, { prepare });
  const id = await own.publish();
  await until(
    'the status says that it waits for a person',
    async () => (await own.status()).waitingFor !== null,
  );
  t.regex((await own.status()).waitingFor ?? '', /git pull/);
  t.is(own.clones.git('rev-parse', 'main').trim(), there, 'nothing was forced');
  t.is(gitIn(own.dir, 'rev-list', '--merges', '--count', 'HEAD').trim(), '0');
  const doctor = await run(['doctor', '--dir', own.dir]);
  t.regex(doctor.stdout, /commits? (is|are) not pushed/);

  await until('the article is committed', () => gitIn(own.dir, 'status', '--porcelain') === '');
  gitIn(own.dir, 'pull', '--quiet', '--no-rebase', '--no-edit');
  await untilOnRemote(own, id);
  for (const one of [here, there]) own.clones.git('merge-base', '--is-ancestor', one, 'main');
  await until('the status waits for nobody', async () => (await own.status()).waitingFor === null);
  t.is((await own.status()).lastError, null);
});

test.serial('what a person has not committed stays, when others change the same file', async (t) => {
  const own = site.clones.clone('uncommitted');
  const name = 'shared.txt';
  commitAndPush(own, name, 'first\n');
  await site.publish();
  await until('the new file has come', () => fs.existsSync(join(site.dir, name)));
  fs.writeFileSync(join(site.dir, name), 'mine, not committed\n');
  fs.writeFileSync(join(site.dir, 'new.txt'), 'mine, new\n');
  commitAndPush(own, 'new.txt', 'theirs, new\n');
  commitAndPush(own, name, 'theirs\n');
  await untilOnRemote(site, await site.publish());
  await untilFollowed(site);
  t.is(fs.readFileSync(join(site.dir, name), 'utf8'), 'mine, not committed\n');
  t.is(fs.readFileSync(join(site.dir, 'new.txt'), 'utf8'), 'mine, new\n');
  t.is(gitIn(site.dir, 'show', `HEAD:${name}`), 'theirs\n');
  t.true(site.receiver.log.some(({ path, why }) => path === name && /not committed/.test(String(why))));
  gitIn(site.dir, 'restore', name, 'new.txt');
});

test.serial('a remote that is away for a while gets everything when it is back', async (t) => {
  fs.renameSync(site.clones.remote, `${site.clones.remote}.away`);
  const ids = [await site.publish(), await site.publish()];
  await until('the status says what is wrong', async () => (await site.status()).lastError !== null);
  t.is((await fetch(`${site.receiver.origin}/healthz`)).status, 200, 'articles can be stored all the same');
  const told = join(site.dir, '.pressmark', 'push.json');
  await until(
    'what is wrong is written for doctor',
    () => fs.existsSync(told) && /"lastError": ?"/.test(fs.readFileSync(told, 'utf8')),
  );
  const doctor = await run(['doctor', '--dir', site.dir]);
  t.regex(doctor.stdout, /last error: .*the git remote origin/);
  fs.renameSync(`${site.clones.remote}.away`, site.clones.remote);
  await untilOnRemote(site, ...ids);
  await until('the status says that all is well', async () => (await site.status()).lastError === null);
  t.is((await site.status()).waitingFor, null);
});

// A receiver that commits edits, and edits of two articles that were made from older versions than others have pushed.
const left: { id: string; path: string; file: string; theirs: string; mine: string }[] = [];
let second: Receiver;

test.serial('edits are not committed over what others have pushed meanwhile', async (t) => {
  const ids = [await site.publish(), await site.publish()];
  await untilOnRemote(site, ...ids);
  const own = site.clones.clone('behind');
  for (const id of ids) {
    const file = fileOf(site.dir, id);
    const path = file.slice(site.dir.length + 1);
    const text = fs.readFileSync(file, 'utf8');
    const [theirs, mine] = [`${text}\nTheirs.\n`, `${text}\nMine.\n`];
    left.push({ id, path, file, theirs, mine });
    fs.writeFileSync(file, mine);
    commitAndPush(own, path, theirs);
  }
  // the push is refused, and the branch follows without these files
  await untilOnRemote(site, await site.publish());
  await untilFollowed(site);
  t.is(await site.receiver.stop(), 0);

  const config = settings({ durability: 'disk', git: { push: { debounce: 100 }, commitEdits: true } });
  fs.writeFileSync(join(site.dir, 'pressmark.config.json'), JSON.stringify(config));
  second = await launchIn(site.dir);
  lasting.teardown(() => second.kill('SIGKILL'));
  for (const { path, file, theirs, mine } of left) {
    await until('the log says that the edit is not committed', () => isLeftBehind(path));
    t.is(fs.readFileSync(file, 'utf8'), mine);
    t.is(gitIn(site.dir, 'show', `HEAD:${path}`), theirs);
  }
});

function isLeftBehind(wanted: string, from = 0): boolean {
  return second.log
    .slice(from)
    .some(({ msg, path }) => msg.startsWith('your edit is not committed') && path === wanted);
}

test.serial(
  'where a person takes over what others have pushed and edits that, it is an edit like any other',
  async (t) => {
    const [{ path, file, theirs } = { path: '', file: '', theirs: '' }, other] = left;
    const begun = second.log.length;
    gitIn(site.dir, 'restore', path);
    const note = join(site.dir, '.git/pressmark/left-behind.json');
    await until('only the other edit is noted as left behind', () => {
      const noted = fs.existsSync(note) ? fs.readFileSync(note, 'utf8') : '';
      return !noted.includes(path) && noted.includes(other?.path ?? '');
    });
    fs.writeFileSync(file, `${theirs}\nAnd mine.\n`);
    await until(
      'the edit is on the remote',
      () => site.clones.articles().get(path) === `${theirs}\nAnd mine.\n`,
    );
    t.false(isLeftBehind(path, begun));
  },
);

test.serial(
  'an edit that was left behind and that an update replaces is left to its owner as a file',
  async (t) => {
    const [, { id, path, mine } = { id: '', path: '', mine: '' }] = left;
    const url: string = JSON.parse(/^url: (.*)$/m.exec(mine)?.[1] ?? '');
    const { revision_id: base } = await second.find(url);
    const request = update({ target_id: id, target_url: url, base_revision_id: base });
    t.is((await second.post('article.updated', request)).status, 200);
    const files = join(site.dir, '.pressmark', 'left-edits');
    await until('the edit is left as a file', () => fs.existsSync(files));
    t.is(await second.stop(), 0);
    t.deepEqual(
      fs.readdirSync(files).map((name) => fs.readFileSync(join(files, name), 'utf8')),
      [mine],
    );
    t.notRegex(gitIn(site.dir, 'log', '--format=%s', '--', path), /^Edit: /m);
  },
);

test('a stop pushes what waits', async (t) => {
  const own = await makePushingSite(t, { push: { debounce: 600_000 } });
  const id = await own.publish();
  t.is(await own.receiver.stop(), 0);
  t.deepEqual(idsOnRemote(own), [id]);
});

test('nobody is asked for a password, and none is written down', async (t) => {
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
  const own = await makePushingSite(t, {
    push: { remote: `http://olga:geheim-1234@127.0.0.1:${port}/site.git` },
    env: { GIT_ASKPASS: askpass, SSH_ASKPASS: askpass, DISPLAY: ':0' },
  });
  await own.publish();
  await until('the status says what is wrong', async () => (await own.status()).lastError !== null);
  t.true(asked > 0);
  t.false(fs.existsSync(witness));
  const doctor = await run(['doctor', '--dir', own.dir], { GIT_ASKPASS: askpass });
  const said = [JSON.stringify(own.receiver.log), own.receiver.stderr(), doctor.stdout, doctor.stderr];
  for (const text of [...said, JSON.stringify(await own.status())]) t.notRegex(text, /geheim|olga:/);
  t.true(
    said.some((text) => text.includes(`127.0.0.1:${port}`)),
    'the rest of the address is told',
  );
});
