import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { articleFiles, debris, fileOf, readStored, treeOf } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { type Rule, sharedFaults } from '../../support/faults.js';
import { sharedReceiver } from '../../support/receiver.js';
import { until } from '../../support/until.js';

const faults = sharedFaults();
const receiver = sharedReceiver(test, faults.options);

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
