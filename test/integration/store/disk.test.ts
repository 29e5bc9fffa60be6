import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { draftOf } from '../../../src/article/article.js';
import { articleFiles, debris, fileOf, readStored, treeOf } from '../../support/content.js';
import { article, type PublishedData, update } from '../../support/events.js';
import { type Rule, sharedFaults, type Traced } from '../../support/faults.js';
import { encode } from '../../support/plain-files.js';
import { launch, type Receiver, SITE_URL } from '../../support/receiver.js';
import { makeTempDir, removeTempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

const faults = sharedFaults();
/** The site's folder is a symbolic link, as deployments make it. */
const parent = makeTempDir();
const site = join(parent, 'current');
const release = join(parent, 'release-1');
const left = article({ published_at: '2025-03-01T00:00:00Z' });
let running: Receiver;
const receiver = () => running;

test.serial.before(async () => {
  fs.mkdirSync(release);
  fs.symlinkSync('release-1', site);
  leave(release, left);
  running = await launch(site, faults.options);
});
test.after.always(async () => {
  await running?.kill('SIGKILL');
  removeTempDir(parent);
});

/** An article file that another process has left, perhaps without having synced it. */
function leave(dir: string, data: PublishedData): void {
  const folder = join(dir, 'content/articles', data.published_at.slice(0, 7).replace('-', '/'));
  fs.mkdirSync(folder, { recursive: true });
  const url = `${SITE_URL}/articles/${data.slug}/`;
  const { text } = encode({ ...draftOf(data), slug: data.slug, url, updated: null });
  fs.writeFileSync(join(folder, `${data.slug}.md`), text);
}

/** The calls on the content folder in their order, each by a name that does not change. */
function stepsOf(trace: readonly Traced[]): string[] {
  return trace
    .filter(({ call }) => ['write', 'fsync', 'link', 'rename', 'mkdir'].includes(call))
    .map(({ call, paths }) => {
      const last = (paths.at(-1) ?? '').replace(/^.*\/(?:current|release-1)(?=\/|$)/, '');
      return `${call} ${last.replace(/.*\.pressmark-.*\.tmp$/, 'tmp').replace(/.*\.md$/, 'article')}`;
    })
    .filter((step) => /content|tmp|article/.test(step));
}

/** Whether the expected steps were taken in this order; others may lie between. */
function inOrder(steps: readonly string[], expected: readonly string[]): boolean {
  let at = 0;
  for (const step of steps) if (step === expected[at]) at++;
  return at === expected.length;
}

test.serial(
  '200-published: a publication is written, synced, linked, and all its folders are synced',
  async (t) => {
    const { dir, post } = receiver();
    faults.clear();
    t.is((await post('article.published', article())).status, 200);
    const steps = stepsOf(faults.trace());
    t.true(inOrder(steps, ['write tmp', 'fsync tmp', 'link article']));
    const linked = steps.indexOf('link article');
    for (const folder of ['', '/articles', '/articles/2026', '/articles/2026/11'])
      t.true(steps.indexOf(`fsync /content${folder}`) > linked, `content${folder}`);
    t.true(
      faults.trace().some(({ call, paths }) => call === 'fsync' && paths[0] === dir),
      'the site’s folder',
    );

    faults.clear();
    t.is((await post('article.published', article())).status, 200);
    t.true(inOrder(stepsOf(faults.trace()), ['link article', 'fsync /content/articles/2026/11']));
  },
);

test.serial(
  '200-published: an article that another process has left is synced before it is acknowledged, and no folder above the site is opened',
  async (t) => {
    const { post } = receiver();
    faults.set({ call: 'open', path: `^${parent}$`, code: 'EACCES' });
    const { status, json } = await post('article.published', left);
    t.deepEqual([status, json.url], [200, `${SITE_URL}/articles/${left.slug}/`]);
    const steps = stepsOf(faults.trace());
    t.true(inOrder(steps, ['fsync article', 'fsync /content/articles/2025/03', 'fsync /content']));
    t.true(
      faults.trace().some(({ call, paths }) => call === 'fsync' && paths[0] === release),
      'the site’s folder is the last one',
    );
    t.truthy(fileOf(release, left.id), 'one file carries its id');
  },
);

test.serial('200-updated: an update is written, synced, renamed, and its folder synced', async (t) => {
  const { post, find } = receiver();
  const data = article();
  const { url } = (await post('article.published', data)).json;
  const { revision_id: base_revision_id } = await find(url);
  faults.clear();
  const request = update({ target_id: data.id, target_url: url, base_revision_id });
  t.is((await post('article.updated', request)).status, 200);
  const steps = ['write tmp', 'fsync tmp', 'rename article', 'fsync /content/articles/2026/11'];
  t.true(inOrder(stepsOf(faults.trace()), steps));
});

type Fault = Omit<Rule, 'name'>;

const TEMP = '\\.pressmark-[\\w-]+\\.tmp$';

/** `<folder>` is the folder of the article. */
const OF_PUBLICATIONS: Record<string, Fault> = {
  'write: no space, halfway': { call: 'write', path: TEMP, code: 'ENOSPC', halfway: true },
  'link: error': { call: 'link', path: TEMP, code: 'EIO' },
  'sync of a folder above: error': { call: 'fsync', path: '/content/articles/20..$', code: 'EIO' },
};

const OF_UPDATES: Record<string, Fault> = {
  'sync of the file: error': { call: 'fsync', path: TEMP, code: 'EIO' },
  'rename: error': { call: 'rename', path: TEMP, code: 'EIO' },
  'open of the folder: too many files': { call: 'open', path: '<folder>$', code: 'EMFILE' },
};

/** Each fault gets a month of its own, so that the folder is new to the receiver. */
let year = 2001;
const folderOf = (month: string) => `/content/articles/${month.replace('-', '/')}`;
const inFolder = (fault: Fault, month: string): Fault => ({
  ...fault,
  path: fault.path.replace('<folder>', folderOf(month)),
});

async function refusesThenStores(t: ExecutionContext, name: string, fault: Fault): Promise<void> {
  const { dir, post, find, origin } = receiver();
  const health = async () => (await fetch(`${origin}/healthz`)).status;
  const month = `${year++}-05`;
  const data = article({ published_at: `${month}-07T00:00:00Z` });
  const target_url = `https://garden.example/articles/${data.slug}/`;
  const before = articleFiles(dir);
  const untouched = treeOf(dir).filter((line) => line.includes('.md '));

  faults.set(inFolder(fault, month));
  const refused = await post('article.published', data);
  t.is(refused.status, 500, `${name}: ${refused.json.error}`);
  t.regex(refused.json.error, new RegExp(`^not stored: .+ \\(${fault.code}\\)`));
  t.false(refused.json.error.includes(dir), 'no path of the machine');
  t.is(await health(), 503, name);
  t.deepEqual([articleFiles(dir), await debris(dir)], [before, []], `${name}: nothing is left of it`);
  t.deepEqual(
    treeOf(dir).filter((line) => line.includes('.md ')),
    untouched,
    `${name}: nothing else was touched`,
  );

  faults.clear();
  t.is((await post('article.lookup', { target_url })).status, 404);
  const { status, json } = await post('article.published', data);
  t.deepEqual([status, json.url], [200, target_url], `${name}: without a restart`);
  t.is(await health(), 200, name);
  const stored = treeOf(dir);
  t.deepEqual((await post('article.published', data)).json, json);
  t.is((await find(target_url)).id, data.id);
  t.deepEqual(treeOf(dir), stored);
  t.truthy(fileOf(dir, data.id));
  t.deepEqual(await debris(dir), []);
}

test.serial(
  '500-published: where a file stands in the place of a month’s folder, the articles of other months that come at the same time are stored',
  async (t) => {
    const { dir, post } = receiver();
    const blocked = `${year++}-05`;
    const free = `${year++}-05`;
    const inTheWay = join(dir, folderOf(blocked));
    fs.mkdirSync(dirname(inTheWay), { recursive: true });
    fs.writeFileSync(inTheWay, 'a file');
    const all = Array.from({ length: 16 }, (_, n) =>
      article({ published_at: `${n % 4 === 0 ? blocked : free}-07T00:00:00Z` }),
    );
    const answers = await Promise.all(all.map((data) => post('article.published', data)));
    t.deepEqual(
      answers.map(({ status }) => status),
      all.map(({ published_at }) => (published_at.startsWith(blocked) ? 500 : 200)),
    );
    fs.rmSync(inTheWay);
    const again = await Promise.all(all.map((data) => post('article.published', data)));
    t.true(again.every(({ status }) => status === 200));
    for (const { id } of all) t.truthy(fileOf(dir, id), 'each is stored once');
    t.deepEqual(await debris(dir), []);
  },
);

test.serial(
  '500-published: a publication during which the disk fails at any step leaves nothing, and is stored once the disk works again',
  async (t) => {
    for (const [name, fault] of Object.entries(OF_PUBLICATIONS)) await refusesThenStores(t, name, fault);
  },
);

test.serial(
  '500-published: a publication for which the lock cannot be taken leaves nothing, and is stored later',
  async (t) => {
    // The lock is kept for a moment after its use; the fault needs it to be taken anew.
    const lock = join(receiver().dir, '.pressmark/lock');
    await until(
      'no process holds the lock of the store',
      () => spawnSync('flock', ['-n', lock, 'true']).status === 0,
    );
    await refusesThenStores(t, 'lock', { call: 'open', path: '/\\.pressmark/lock$', code: 'EMFILE' });
  },
);

test.serial(
  '500-updated: an update during which the disk fails at any step leaves the old file whole, and is stored once the disk works again',
  async (t) => {
    const { dir, post, find } = receiver();
    for (const [name, fault] of Object.entries(OF_UPDATES)) {
      const month = `${year++}-05`;
      const data = article({ published_at: `${month}-07T00:00:00Z` });
      const { url } = (await post('article.published', data)).json;
      const { revision_id: base_revision_id } = await find(url);
      const path = fileOf(dir, data.id);
      const old = fs.readFileSync(path, 'utf8');
      const request = update({ target_id: data.id, target_url: url, base_revision_id });
      const before = articleFiles(dir);

      faults.set(inFolder(fault, month));
      const { status, json } = await post('article.updated', request);
      t.is(status, 500, `${name}: ${json.error}`);
      t.is(fs.readFileSync(path, 'utf8'), old, name);
      t.deepEqual([articleFiles(dir), await debris(dir)], [before, []], name);
      t.is((await find(url)).revision_id, base_revision_id);

      faults.clear();
      t.is((await post('article.updated', request)).status, 200, name);
      t.is(readStored(path).article.revision, request.revision_id);
      t.is((await find(url)).content_html, request.content_html);
      t.deepEqual([articleFiles(dir), await debris(dir)], [before, []], name);
    }
  },
);

const MOMENTS: Record<string, Pick<Rule, 'call' | 'path'>> = {
  'while the new file is being written': { call: 'write', path: '\\.tmp$' },
  'while it is being synced': { call: 'fsync', path: '\\.tmp$' },
};

test.serial(
  '409-updated: a person who saves the file during an update, in place or by a rename, keeps their version',
  async (t) => {
    const { dir, post, find } = receiver();
    for (const [name, moment] of Object.entries(MOMENTS))
      for (const byRename of [false, true]) {
        const data = article();
        const { url } = (await post('article.published', data)).json;
        const { revision_id: base_revision_id } = await find(url);
        const path = fileOf(dir, data.id);
        const theirs = fs.readFileSync(path, 'utf8').replace('Out of the wind.\n\n<!--', 'Mine!\n\n<!--');

        faults.set({ ...moment, save: { path, text: theirs, byRename }, times: 1 });
        const request = update({ target_id: data.id, target_url: url, base_revision_id });
        const { status, json } = await post('article.updated', request);
        t.is(status, 409, name);
        t.is(json.error, 'Article revision conflict');
        t.is(fs.readFileSync(path, 'utf8'), theirs);
        t.deepEqual(await debris(dir), []);

        faults.clear();
        const now = await find(url);
        t.not(now.revision_id, base_revision_id);
        t.true(now.content_html.includes('Mine!'));
        t.is((await post('article.updated', request)).status, 409, 'a retry does not get round it');
        const based = { ...request, base_revision_id: now.revision_id };
        t.is((await post('article.updated', based)).status, 200);
      }
  },
);
