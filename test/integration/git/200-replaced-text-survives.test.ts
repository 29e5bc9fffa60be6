import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { basename, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { gitIn } from '../../support/clones.js';
import { createFaults } from '../../support/faults.js';
import { type Receiver, run, SITE_URL } from '../../support/receiver.js';
import { until } from '../../support/until.js';
import { ALL, type EditedArticle, type EditedSite, sharedSite } from './edited-site.js';

// At level disk an update is answered when its file is durable; the edit that it has replaced is in no file of the
// content folder any more, and in no commit yet.

const [PUBLISHED = '', EDITED = ''] = ALL;
const site = sharedSite(test, 'disk');
const { dir, git } = site;

const disposers: (() => void)[] = [];
const faults = createFaults({ teardown: (dispose) => disposers.push(dispose) });
const faulty = sharedSite(test, 'disk', { ...faults.options, storeOnly: false });
test.after.always(() => {
  for (const dispose of disposers) dispose();
});

function namesIn(at: EditedSite, folder: 'replaced' | 'left-edits'): string[] {
  const path = join(at.dir, '.pressmark', folder);
  return fs.existsSync(path) ? fs.readdirSync(path) : [];
}

/** The edits of an article that are left to its owner as files. */
const leftOf = (at: EditedSite, { path }: EditedArticle) =>
  namesIn(at, 'left-edits').filter((name) => name.startsWith(basename(path, '.md')));

/** Waits until the edit and the update are committed; nothing is lost, doubled or left over. */
async function assertCommitted(t: ExecutionContext, at: EditedSite, one: EditedArticle, text: string) {
  await until(
    'the edit and the update are committed, and the edit is kept no longer',
    () => namesIn(at, 'replaced').length === 0 && one.subjects().length >= ALL.length,
  );
  t.deepEqual(one.subjects(), ALL);
  t.is(one.at(1), text);
  t.is(one.at(0), fs.readFileSync(one.file, 'utf8'));
  t.is(one.status(), '');
  t.deepEqual(leftOf(at, one), []);
}

/** Has a receiver answer an update, and then killed at a git command. */
async function updateAndKill(
  t: ExecutionContext,
  request: object,
  what: 'killed-before' | 'killed-after',
  command: string,
): Promise<void> {
  const receiver = await site.receiver();
  git.hold();
  git.set(what, command);
  t.is((await receiver.post('article.updated', request)).status, 200);
  git.release();
  await receiver.kill('SIGCONT'); // waits for its end
}

test.serial(
  '200: an edit that an update replaces has a commit before it, and is kept no longer',
  async (t) => {
    const one = await site.publish();
    const { text, request } = await one.edit('my words, “quoted”\r\nand no line end');
    t.is((await (await site.receiver()).post('article.updated', request)).status, 200);
    await assertCommitted(t, site, one, text);
  },
);

test.serial('200: an edited article is updated also where .pressmark/staging was removed', async (t) => {
  const one = await site.publish();
  const { text, request } = await one.edit('my words\n');
  fs.rmSync(join(dir, '.pressmark', 'staging'), { recursive: true });
  t.is((await (await site.receiver()).post('article.updated', request)).status, 200);
  await assertCommitted(t, site, one, text);
});

for (const [what, command] of [
  ['killed-before', 'fast-import'],
  ['killed-after', 'fast-import'],
  ['killed-before', 'update-index'],
  ['killed-before', 'update-ref'],
  ['killed-after', 'update-ref'],
] as const)
  test.serial(
    `200: after a receiver was ${what.replace('-', ' ')} git ${command}, the next start commits the replaced edit and the update`,
    async (t) => {
      const one = await site.publish();
      const { text, request } = await one.edit('my words\n');
      await updateAndKill(t, request, what, command);
      t.is(namesIn(site, 'replaced').length, 1);
      await site.receiver();
      await assertCommitted(t, site, one, text);
    },
  );

test.serial('200: an edit that is not UTF-8 survives a kill byte for byte', async (t) => {
  const one = await site.publish();
  const { request } = await one.edit(Buffer.from('caf\xe9 noir\n', 'latin1'));
  const bytes = fs.readFileSync(one.file);
  await updateAndKill(t, request, 'killed-before', 'fast-import');
  await site.receiver();
  await until('the edit and the update are committed', () => one.subjects().length === 3);
  t.deepEqual(one.subjects(), ALL);
  t.is(
    gitIn(dir, 'rev-parse', `HEAD^:${one.path}`),
    execFileSync('git', ['hash-object', '--stdin'], { input: bytes, encoding: 'utf8' }),
  );
});

test.serial(
  '200: an edit in a batch of its own, killed between the index and the branch, is committed by the next start',
  async (t) => {
    const one = await site.publish();
    const { text, request } = await one.edit('my words\n');
    const receiver = await site.receiver();
    git.set('fail', 'fast-import');
    t.is((await receiver.post('article.updated', request)).status, 200);
    await until('a batch has failed, which is taken apart then', () =>
      receiver.log.some(({ msg }) => msg.startsWith('not committed')),
    );
    git.set('killed-before', 'update-ref');
    await receiver.kill('SIGCONT'); // waits for its end
    await site.receiver();
    await assertCommitted(t, site, one, text);
  },
);

test.serial(
  '200: where the owner has committed the update meanwhile, the edit is left to them as a file, and doctor names it',
  async (t) => {
    const one = await site.publish();
    const { text, request } = await one.edit('my words\n');
    await updateAndKill(t, request, 'killed-before', 'fast-import');
    gitIn(dir, 'commit', '--quiet', '-am', 'My own commit');
    const again = await site.receiver();
    await until('the edit is kept no longer', () => namesIn(site, 'replaced').length === 0);
    t.deepEqual(one.subjects(), [PUBLISHED, 'My own commit']);
    const [left = ''] = leftOf(site, one);
    t.is(fs.readFileSync(join(dir, '.pressmark', 'left-edits', left), 'utf8'), text);
    await until('the log names the file that holds the edit', () =>
      again.log.some(({ msg, file }) => msg.includes('has no commit') && file === `left-edits/${left}`),
    );
    const doctor = await run(['doctor', '--dir', dir], { PRESSMARK_SITE_URL: SITE_URL, HOME: dir });
    t.true(doctor.stdout.includes(`.pressmark/left-edits/${left}`), doctor.stdout);
  },
);

/** Waits until a process is stopped. */
function untilStopped({ pid }: Receiver): Promise<void> {
  const state = () => execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return until('the receiver is stopped at the call', () => state().trim().startsWith('T'));
}

for (const [call, path, when] of [
  ['rename', '/replaced/[0-9a-f-]+$', 'before'],
  ['rename', '/replaced/[0-9a-f-]+$', 'after'],
  ['rename', '\\.md$', 'before'],
  ['rename', '\\.md$', 'after'],
] as const)
  test.serial(
    `200: after a receiver was killed ${when} the ${call} of ${path}, the edit stays, and the update is sent again`,
    async (t) => {
      const one = await faulty.publish();
      const { text, request } = await one.edit('my words\n');
      const receiver = await faulty.receiver();
      faults.set({ call, path, when, stop: true, times: 1 });
      const unanswered = t.throwsAsync(receiver.post('article.updated', request));
      await untilStopped(receiver);
      await receiver.kill('SIGKILL');
      await unanswered;
      faults.clear();
      const again = await faulty.receiver();
      t.is((await again.post('article.updated', request)).status, 200);
      await assertCommitted(t, faulty, one, text);
    },
  );

test.serial('500: an update that cannot be stored takes back what was kept for it', async (t) => {
  const one = await faulty.publish();
  const { request } = await one.edit('my words\n');
  const receiver = await faulty.receiver();
  faults.set({ call: 'rename', path: '\\.md$', code: 'ENOSPC', times: 1 });
  t.is((await receiver.post('article.updated', request)).status, 500);
  await until('the edit is kept no longer', () => namesIn(faulty, 'replaced').length === 0);
  t.is(await receiver.stop(), 0);
  t.deepEqual(one.subjects(), [PUBLISHED, EDITED]);
});
