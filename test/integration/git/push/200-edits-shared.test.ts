import fs from 'node:fs';
import { join, relative } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { type Clones, gitIn, launchIn, makeRemote } from '../../../support/clones.js';
import { fileOf } from '../../../support/content.js';
import { article, update } from '../../../support/events.js';
import { type Receiver, run, SITE_URL } from '../../../support/receiver.js';
import { makeTempDir, removeTempDir, tempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';

const CONFIG = { git: { commitEdits: true, push: { fetchEvery: 500 } } };

const folder = makeTempDir();
const clones = makeRemote(folder, undefined, CONFIG);
const receivers: Receiver[] = [];

test.before(async () => {
  receivers.push(...(await Promise.all(['a', 'b'].map((name) => launchIn(clones.clone(name))))));
});
test.after.always(async () => {
  await Promise.all(receivers.map(({ kill }) => kill('SIGKILL')));
  removeTempDir(folder);
});

/** Two machines and an article that both have in their work trees. */
async function twoMachines(t: ExecutionContext) {
  const [a, b] = receivers;
  if (a === undefined || b === undefined) throw new Error('no receivers');
  t.timeout(120_000);
  return { a, b, ...(await published(a, b)) };
}

async function published(machine: Receiver, other = machine) {
  const data = article();
  const { url } = (await machine.post('article.published', data)).json;
  const path = relative(machine.dir, fileOf(machine.dir, data.id));
  await until(() => [machine, other].every(({ dir }) => isClean(dir, path)));
  const { revision_id: first } = await machine.find(url);
  const change = (base_revision_id: string) =>
    update({ target_id: data.id, target_url: url, base_revision_id });
  return { data, url, path, first, change };
}

/** Whether HEAD has a file as it is in the work tree. */
function isClean(dir: string, path: string): boolean {
  return (
    fs.existsSync(join(dir, path)) &&
    gitIn(dir, 'status', '--porcelain', '--', path) === '' &&
    isTracked(dir, path)
  );
}

function isTracked(dir: string, path: string): boolean {
  return gitIn(dir, 'ls-tree', '--name-only', 'HEAD', path) !== '';
}

/** The subjects of the remote's commits of one file, oldest first. */
function subjects(remote: Clones, path: string): string[] {
  return remote.git('log', '--reverse', '--format=%s', 'main', '--', path).trim().split('\n');
}

/** Edits a file as a person would; returns its text. */
function retitle({ dir }: Receiver, path: string, title: string): string {
  const text = fs.readFileSync(join(dir, path), 'utf8').replace(/^title: .*$/m, `title: "${title}"`);
  fs.writeFileSync(join(dir, path), text);
  return text;
}

/** Does what git may refuse for a moment: Pressmark has the index, or another machine was first. */
function eventually(work: () => unknown): Promise<void> {
  return until(() => {
    try {
      work();
      return true;
    } catch {
      return false;
    }
  });
}

interface Health {
  readonly push: { readonly leftEdits: readonly { readonly path: string; readonly why: string }[] };
}

/** What a receiver says of the edits that stay in its clone. */
async function leftIn({ origin }: Receiver): Promise<string[]> {
  const health = (await (await fetch(`${origin}/healthz?verbose`)).json()) as Health;
  return health.push.leftEdits.map(({ path }) => `content/${path}`);
}

const PUBLISHED = 'Publish: Keeping bees on a balcony';
const UPDATED = 'Update: Keeping bees on a windy balcony';

test('an edit is pushed as a commit of its own, and is the revision everywhere from then on', async (t) => {
  const { a, b, url, path, first, change } = await twoMachines(t);
  const text = retitle(a, path, 'By hand');
  await until(() => subjects(clones, path).length === 2);
  t.deepEqual(subjects(clones, path), [PUBLISHED, 'Edit: By hand']);
  t.is(clones.git('show', `main:${path}`), text);
  const [commit = ''] = clones.git('log', '-1', '--format=%H', 'main', '--', path).split('\n');
  t.is(clones.git('show', '--format=', '--name-only', commit).trim(), path, 'one file');
  const { revision_id: now, title } = await a.find(url);
  t.regex(now, /^edit-/);
  t.is(title, 'By hand');
  t.is((await b.find(url)).revision_id, now);
  const trailers = clones.git('log', '-1', '--format=%(trailers)', commit);
  t.regex(trailers, new RegExp(`Revision-Id: ${now}`));
  t.notRegex(trailers, /Delivery-Timestamp/);
  for (const machine of [b, a]) t.is((await machine.post('article.updated', change(first))).status, 409);

  // an edit upon the edit, and an update upon that
  const more = retitle(a, path, 'By hand again');
  await until(() => subjects(clones, path).length === 3);
  t.is(clones.git('show', `main:${path}`), more);
  const { revision_id: base } = await b.find(url);
  t.is((await b.post('article.updated', change(base))).status, 200);
  await until(() => [a, b].every(({ dir }) => isClean(dir, path)));
  t.deepEqual(subjects(clones, path), [PUBLISHED, 'Edit: By hand', 'Edit: By hand again', UPDATED]);
  t.deepEqual(
    [...(await leftIn(a)), ...(await leftIn(b))].filter((one) => one === path),
    [],
  );
});

/** An edit in b, and an update that was stored before it. On a busy machine the edit may be the first: then once more. */
async function editOvertaken(t: ExecutionContext, through: 'a' | 'b') {
  for (;;) {
    const { a, b, url, path, first, change } = await twoMachines(t);
    const text = retitle(b, path, 'By hand');
    const request = change(first);
    const { status } = await { a, b }[through].post('article.updated', request);
    if (status === 200) return { a, b, url, path, text, request };
    t.is(status, 409);
    t.deepEqual(subjects(clones, path), [PUBLISHED, 'Edit: By hand'], 'the edit was the first');
  }
}

for (const through of ['a', 'b'] as const)
  test(`an update that comes through ${through} while an edit in b waits neither loses it nor is lost`, async (t) => {
    const { a, b, url, path, text, request } = await editOvertaken(t, through);
    await until(async () => (await leftIn(b)).includes(path));
    t.is(fs.readFileSync(join(b.dir, path), 'utf8'), text);
    t.is((await b.find(url)).revision_id, request.id);
    t.deepEqual(subjects(clones, path), [PUBLISHED, UPDATED]);
    const below = path.replace('content/', '');
    t.true(b.log.some((line) => line.path === below && /newer version/.test(String(line.why))));
    const findings = async () =>
      (await run(['doctor', '--dir', b.dir], { PRESSMARK_SITE_URL: SITE_URL, HOME: b.dir })).stdout;
    await until(async () => (await findings()).includes(`your edit of ${below} is in this clone alone`));

    // the person's own commit settles it
    await until(() => gitIn(b.dir, 'show', `HEAD:${path}`).includes(request.id));
    await eventually(() => gitIn(b.dir, 'commit', '--quiet', '-m', 'Mine', '--', path));
    await eventually(() => gitIn(b.dir, 'push', '--quiet', 'origin', 'HEAD:main'));
    await until(async () => !(await leftIn(b)).includes(path));
    t.is((await a.find(url)).title, 'By hand');
  });

test('of two edits made from one version, one is stored and the other stays where it was made', async (t) => {
  const { a, b, url, path } = await twoMachines(t);
  const texts = [retitle(a, path, 'Of a'), retitle(b, path, 'Of b')];
  await until(async () => [...(await leftIn(a)), ...(await leftIn(b))].includes(path));
  t.is(subjects(clones, path).length, 2);
  const { title } = await a.find(url);
  t.is((await b.find(url)).title, title);
  t.is(subjects(clones, path)[1], `Edit: ${title}`);
  t.deepEqual(
    [a, b].map(({ dir }) => fs.readFileSync(join(dir, path), 'utf8')),
    texts,
  );
});

test('what is staged, new, no article or no UTF-8 is left to its owner', async (t) => {
  const { a, path } = await twoMachines(t);
  const others = await Promise.all([published(a), published(a), published(a)]);
  const [bytes = '', broken = '', foreign = ''] = others.map((one) => one.path);
  retitle(a, path, 'Staged');
  await eventually(() => gitIn(a.dir, 'add', path));
  fs.writeFileSync(join(a.dir, path, '..', 'new.md'), '---\ntitle: New\n---\nMine.\n');
  fs.appendFileSync(join(a.dir, bytes), Buffer.from('caf\xe9\n', 'latin1'));
  fs.writeFileSync(join(a.dir, broken), '---\ntitle: [\n---\n');
  fs.writeFileSync(
    join(a.dir, foreign),
    fs.readFileSync(join(a.dir, foreign), 'utf8').replace(/^id: .*$/m, 'id: "other"'),
  );
  await until(async () => [bytes, foreign].every(async (one) => (await leftIn(a)).includes(one)));
  const last = await published(a);
  retitle(a, last.path, 'Last');
  await until(() => subjects(clones, last.path).length === 2);
  for (const one of [path, bytes, broken, foreign]) t.deepEqual(subjects(clones, one), [PUBLISHED]);
  t.is(clones.git('ls-tree', '--name-only', 'main', join(path, '..', 'new.md')), '');
  await eventually(() => gitIn(a.dir, 'restore', '--staged', path));
  await until(() => subjects(clones, path).length === 2);
});

/** A machine with a remote of its own, and an article on it. */
async function oneMachine(t: ExecutionContext) {
  t.timeout(180_000);
  const remote = makeRemote(tempDir(t), undefined, CONFIG);
  const dir = remote.clone('c');
  // tells when the receiver has noticed an edit
  const noticed = join(dir, '.git', 'noticed');
  fs.mkdirSync(join(dir, 'plugins'));
  fs.writeFileSync(
    join(dir, 'plugins', 'notice.mjs'),
    `import fs from 'node:fs';
     const notice = ({ path }) => fs.appendFileSync('${noticed}', path);
     export default { name: 'notice', setup: (host) => host.addAction('article.edited', notice) };`,
  );
  const start = async (name = 'c') => {
    const receiver = await launchIn(name === 'c' ? dir : remote.clone(name));
    t.teardown(() => receiver.kill('SIGKILL'));
    return receiver;
  };
  const c = await start();
  return { remote, dir, noticed, start, c, ...(await published(c)) };
}

test('neither a silent remote nor a kill loses an edit or doubles it', async (t) => {
  const { remote, dir, start, c, path } = await oneMachine(t);
  fs.renameSync(remote.remote, `${remote.remote}.away`);
  retitle(c, path, 'One');
  await until(() => c.log.some((line) => line.msg === 'your edit is in this clone alone'));
  fs.renameSync(`${remote.remote}.away`, remote.remote);
  await until(() => subjects(remote, path).length === 2);

  // killed as soon as the remote has it: the next start finds that out
  const two = retitle(c, path, 'Two');
  await until(() => subjects(remote, path).length === 3);
  await c.kill('SIGKILL');
  const again = await start();
  await until(() => isClean(dir, path));
  t.is(remote.git('show', `main:${path}`), two);
  await again.kill('SIGKILL');
  // made while nothing runs
  retitle(c, path, 'Three');
  await start();
  await until(() => subjects(remote, path).length === 4);
  t.deepEqual(subjects(remote, path), [PUBLISHED, 'Edit: One', 'Edit: Two', 'Edit: Three']);
});

test('on another branch, an edit waits until HEAD is back', async (t) => {
  const { remote, dir, start, c, path } = await oneMachine(t);
  gitIn(dir, 'checkout', '--quiet', '-b', 'topic');
  const text = retitle(c, path, 'By hand');
  const { path: another } = await published(await start('other'));
  await until(() => c.log.some((line) => /follow the remote; it waits for HEAD/.test(line.msg)));
  t.deepEqual(subjects(remote, path), [PUBLISHED]);
  gitIn(dir, 'checkout', '--quiet', 'main');
  await until(() => subjects(remote, path).length === 2);
  t.is(remote.git('show', `main:${path}`), text);
  await until(() => isTracked(dir, another));
});

test('an edit that stays behind stays so after a kill, until its owner takes over what the remote has', async (t) => {
  const { remote, dir, start, c, path, first, change } = await oneMachine(t);
  const text = retitle(c, path, 'By hand');
  t.is((await c.post('article.updated', change(first))).status, 200);
  await until(() => gitIn(dir, 'rev-parse', 'HEAD') === remote.git('rev-parse', 'main'));
  await c.kill('SIGKILL');
  const again = await start();
  await until(async () => (await leftIn(again)).includes(path));
  t.is(fs.readFileSync(join(dir, path), 'utf8'), text);
  t.deepEqual(subjects(remote, path), [PUBLISHED, UPDATED]);
  await eventually(() => gitIn(dir, 'restore', path));
  await until(() => !fs.existsSync(join(dir, '.git/pressmark/left-behind.json')));
  retitle(c, path, 'Anew');
  await until(() => subjects(remote, path).length === 3);
  await until(async () => (await leftIn(again)).length === 0);
});

test('an edit that has not lain still yet is pushed at a stop', async (t) => {
  const { remote, noticed, c, path } = await oneMachine(t);
  fs.rmSync(noticed, { force: true });
  retitle(c, path, 'Short before the end');
  await until(() => fs.existsSync(noticed) && fs.readFileSync(noticed, 'utf8').includes(path));
  t.is(await c.stop(), 0);
  t.deepEqual(subjects(remote, path), [PUBLISHED, 'Edit: Short before the end']);
});
