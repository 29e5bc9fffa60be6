import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { gitIn, launchMachine, makeRemote } from '../../../support/clones.js';
import { type Receiver, run, SITE_URL } from '../../../support/receiver.js';
import { makeTempDir, removeTempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';
import {
  eventually,
  isClean,
  leftIn,
  PUBLISHED,
  published,
  retitle,
  retitleStaged,
  SHARING_EDITS,
  subjects,
  UPDATED,
} from './editing.js';

const folder = makeTempDir();
const clones = makeRemote(folder, undefined, SHARING_EDITS);
const receivers: Receiver[] = [];

test.before(async () => {
  receivers.push(...(await Promise.all(['a', 'b'].map((name) => launchMachine(clones.clone(name))))));
});
test.after.always(async () => {
  await Promise.all(receivers.map(({ kill }) => kill('SIGKILL')));
  removeTempDir(folder);
});

/** Two machines and an article that both have in their work trees. */
async function twoMachines() {
  const [a, b] = receivers;
  if (a === undefined || b === undefined) throw new Error('no receivers');
  return { a, b, ...(await published(a, b)) };
}

test('an edit is pushed as a commit of its own, and is the revision on every machine from then on', async (t) => {
  const { a, b, url, path, first, change } = await twoMachines();
  const text = retitle(a, path, 'By hand');
  await until('the edit is pushed', () => subjects(clones, path).length === 2);
  t.deepEqual(subjects(clones, path), [PUBLISHED, 'Edit: By hand']);
  t.is(clones.git('show', `main:${path}`), text);
  const [commit = ''] = clones.git('log', '-1', '--format=%H', 'main', '--', path).split('\n');
  t.is(clones.git('show', '--format=', '--name-only', commit).trim(), path, 'one file');
  const { revision_id: now, title } = await a.find(url);
  t.regex(now, /^edit-/);
  t.is(title, 'By hand');
  t.is((await b.find(url)).revision_id, now);
  const trailers = clones.git('log', '-1', '--format=%(trailers)', commit);
  t.true(trailers.split('\n').includes(`Revision-Id: ${now}`), trailers);
  t.notRegex(trailers, /Delivery-Timestamp/);
  for (const machine of [b, a]) t.is((await machine.post('article.updated', change(first))).status, 409);

  // an edit upon the edit, and an update upon that
  const more = retitle(a, path, 'By hand again');
  await until('the second edit is pushed', () => subjects(clones, path).length === 3);
  t.is(clones.git('show', `main:${path}`), more);
  const { revision_id: base } = await b.find(url);
  t.is((await b.post('article.updated', change(base))).status, 200);
  await until('both work trees have the update', () => [a, b].every(({ dir }) => isClean(dir, path)));
  t.deepEqual(subjects(clones, path), [PUBLISHED, 'Edit: By hand', 'Edit: By hand again', UPDATED]);
  const left = [...(await leftIn(a)), ...(await leftIn(b))];
  t.false(left.includes(path), 'no edit stays in a clone');
});

type Machines = Awaited<ReturnType<typeof twoMachines>>;

/** An edit in b that an update overtakes surely; returns the edit's text and the update. */
const OVERTAKING = {
  // b sleeps while a person edits there, and finds both when it wakes
  a: async ({ a, b, path, first, change }: Machines) => {
    b.signal('SIGSTOP');
    try {
      const text = retitle(b, path, 'By hand');
      const request = change(first);
      const { status } = await a.post('article.updated', request);
      return { text, request, status };
    } finally {
      b.signal('SIGCONT');
    }
  },
  // a staged edit waits for its owner
  b: async ({ b, path, first, change }: Machines) => {
    const text = await retitleStaged(b, path, 'By hand');
    const request = change(first);
    const { status } = await b.post('article.updated', request);
    await eventually('the owner can unstage the edit', () => gitIn(b.dir, 'restore', '--staged', path));
    return { text, request, status };
  },
};

for (const through of ['a', 'b'] as const)
  test(`200: an update through ${through} that overtakes an edit in b is stored, and the edit stays in b`, async (t) => {
    const machines = await twoMachines();
    const { a, b, url, path } = machines;
    const { text, request, status } = await OVERTAKING[through](machines);
    t.is(status, 200);
    await until('b says that the edit stays in its clone', async () => (await leftIn(b)).includes(path));
    t.is(fs.readFileSync(join(b.dir, path), 'utf8'), text);
    t.is((await b.find(url)).revision_id, request.id);
    t.deepEqual(subjects(clones, path), [PUBLISHED, UPDATED]);
    const below = path.replace('content/', '');
    await until('b’s log says that there is a newer version', () =>
      b.log.some((line) => line.path === below && /newer version/.test(String(line.why))),
    );
    const findings = async () =>
      (await run(['doctor', '--dir', b.dir], { PRESSMARK_SITE_URL: SITE_URL, HOME: b.dir })).stdout;
    await until('doctor names the edit', async () =>
      (await findings()).includes(`your edit of ${below} is in this clone alone`),
    );

    // the person's own commit settles it
    await until('b’s branch has the update', () => gitIn(b.dir, 'show', `HEAD:${path}`).includes(request.id));
    await eventually('the owner can commit', () =>
      gitIn(b.dir, 'commit', '--quiet', '-m', 'Mine', '--', path),
    );
    await eventually('the owner can push', () => gitIn(b.dir, 'push', '--quiet', 'origin', 'HEAD:main'));
    await until('b no longer names the edit', async () => !(await leftIn(b)).includes(path));
    t.is((await a.find(url)).title, 'By hand');
  });

test('of two edits made from one version, one is stored and the other stays where it was made', async (t) => {
  const { a, b, url, path } = await twoMachines();
  const texts = [retitle(a, path, 'Of a'), retitle(b, path, 'Of b')];
  await until('one edit stays in its clone', async () =>
    [...(await leftIn(a)), ...(await leftIn(b))].includes(path),
  );
  t.is(subjects(clones, path).length, 2);
  const { title } = await a.find(url);
  t.true(['Of a', 'Of b'].includes(title), title);
  t.is((await b.find(url)).title, title);
  t.is(subjects(clones, path)[1], `Edit: ${title}`);
  t.deepEqual(
    [a, b].map(({ dir }) => fs.readFileSync(join(dir, path), 'utf8')),
    texts,
  );
});

test('edits that are staged, new files, articles of another id and files that are not UTF-8 are left to their owner', async (t) => {
  const { a, path } = await twoMachines();
  const others = await Promise.all([published(a), published(a), published(a), published(a)]);
  const [bytes = '', broken = '', foreign = '', last = ''] = others.map((one) => one.path);
  await retitleStaged(a, path, 'Staged');
  fs.writeFileSync(join(a.dir, path, '..', 'new.md'), '---\ntitle: New\n---\nMine.\n');
  fs.appendFileSync(join(a.dir, bytes), Buffer.from('caf\xe9\n', 'latin1'));
  fs.writeFileSync(join(a.dir, broken), '---\ntitle: [\n---\n');
  fs.writeFileSync(
    join(a.dir, foreign),
    fs.readFileSync(join(a.dir, foreign), 'utf8').replace(/^id: .*$/m, 'id: "other"'),
  );
  for (const one of [bytes, foreign])
    await until('a says that the edit stays in its clone', async () => (await leftIn(a)).includes(one));
  retitle(a, last, 'Last');
  await until('an edit that was made after them is pushed', () => subjects(clones, last).length === 2);
  for (const one of [path, bytes, broken, foreign]) t.deepEqual(subjects(clones, one), [PUBLISHED]);
  t.is(clones.git('ls-tree', '--name-only', 'main', join(path, '..', 'new.md')), '');
  await eventually('the owner can unstage the edit', () => gitIn(a.dir, 'restore', '--staged', path));
  await until('the edit is pushed once it is not staged', () => subjects(clones, path).length === 2);
});
