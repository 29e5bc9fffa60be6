import test, { type ExecutionContext } from 'ava';
import { articleFiles, debris, fileOf, treeOf } from '../../support/content.js';
import { article } from '../../support/events.js';
import { createFaults, type Faults, type Rule } from '../../support/faults.js';
import { untilReleased } from '../../support/kernel-lock.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';

const TEMP = '\\.pressmark-[\\w-]+\\.tmp$';

/** `<folder>` is the folder that the article goes to. */
const FAULTS: Record<string, Omit<Rule, 'name'>> = {
  'mkdir: read-only': { call: 'mkdir', path: '<folder>$', code: 'EROFS' },
  'mkdir: no space': { call: 'mkdir', path: '<folder>$', code: 'ENOSPC' },
  'open: too many files': { call: 'open', path: TEMP, code: 'EMFILE' },
  'open: read-only': { call: 'open', path: TEMP, code: 'EROFS' },
  'open: not permitted': { call: 'open', path: TEMP, code: 'EACCES' },
  'write: no space, halfway': { call: 'write', path: TEMP, code: 'ENOSPC', halfway: true },
  'write: quota': { call: 'write', path: TEMP, code: 'EDQUOT', halfway: true },
  'write: error': { call: 'write', path: TEMP, code: 'EIO' },
  'sync of the file: error': { call: 'fsync', path: TEMP, code: 'EIO' },
  'sync of the file: no space': { call: 'fsync', path: TEMP, code: 'ENOSPC' },
  'link: no space': { call: 'link', path: TEMP, code: 'ENOSPC' },
  'link: error': { call: 'link', path: TEMP, code: 'EIO' },
  'sync of the folder: error': { call: 'fsync', path: '<folder>$', code: 'EIO' },
  'sync of a folder above: error': { call: 'fsync', path: '/content/articles/20..$', code: 'EIO' },
  'open of the folder: too many files': { call: 'open', path: '<folder>$', code: 'EMFILE' },
  'journal: no space': { call: 'write', path: '/journal$', code: 'ENOSPC', halfway: true },
};

async function refusesThenStores(
  t: ExecutionContext,
  receiver: Receiver,
  faults: Faults,
  rule: Omit<Rule, 'name'>,
  month: string,
) {
  const { dir, post, find } = receiver;
  const data = article({ published_at: `${month}-07T00:00:00Z` });
  const target_url = `https://garden.example/articles/${data.slug}/`;
  const before = articleFiles(dir);
  const untouched = treeOf(dir).filter((line) => line.includes('.md '));

  faults.set({
    ...rule,
    path: rule.path.replace('<folder>', `/content/articles/${month.replace('-', '/')}`),
  });
  for (let n = 0; n < 3; n++) {
    const { status, json } = await post('article.published', data);
    t.is(status, 500, json.error);
    t.regex(json.error, new RegExp(`^not stored: .+ \\(${rule.code}\\)`));
    t.false(json.error.includes(dir), 'no path of the machine');
  }
  t.deepEqual([articleFiles(dir), debris(dir)], [before, []], 'nothing is left of it');
  t.deepEqual(
    treeOf(dir).filter((line) => line.includes('.md ')),
    untouched,
    'nothing else was touched',
  );

  faults.clear();
  t.is((await post('article.lookup', { target_url })).status, 404);
  const { status, json } = await post('article.published', data);
  t.deepEqual([status, json.url], [200, target_url], 'without a restart');
  const stored = treeOf(dir);
  t.deepEqual((await post('article.published', data)).json, json);
  t.is((await find(target_url)).id, data.id);
  t.deepEqual(treeOf(dir), stored);
  t.truthy(fileOf(dir, data.id));
  t.deepEqual(debris(dir), []);
}

test('a disk that fails at any step of a publication: 500, nothing left, and stored when it is well again', async (t) => {
  const faults = createFaults(t);
  const receiver = await startReceiver(t, faults.options);
  let year = 2001;
  for (const [name, rule] of Object.entries(FAULTS)) {
    t.log(name);
    await refusesThenStores(t, receiver, faults, rule, `${year++}-05`);
  }
});

test('a lock that cannot be taken', async (t) => {
  const faults = createFaults(t);
  const receiver = await startReceiver(t, faults.options);
  for (const path of ['/\\.pressmark/lock$', '/\\.pressmark/waiting/']) {
    const call = path.endsWith('/') ? 'write' : 'open';
    // Held a little longer than it is needed; here it must be taken anew.
    await untilReleased(receiver.dir);
    await refusesThenStores(t, receiver, faults, { call, path, code: 'EMFILE' }, '2026-05');
  }
});
