import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { unfinishedCommand } from '../../../src/git/commit/head.js';
import { committedIds, gitIn, inClone, makeRepository } from '../../support/clones.js';
import { article, update } from '../../support/events.js';
import { startHere } from '../../support/receiver-here.js';
import { makeTempDir, removeTempDir, tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

/** A repository in which two branches contradict each other; each test has a copy. */
const template = makeTempDir();
test.before(() => {
  makeRepository(template, { site: false });
  commit(template, 'base');
  gitIn(template, 'tag', 'base');
  gitIn(template, 'checkout', '--quiet', '-b', 'other');
  commit(template, 'other');
  gitIn(template, 'format-patch', '-1', '--quiet', '--output', join(template, '.git', 'other.patch'));
  gitIn(template, 'checkout', '--quiet', 'main');
  commit(template, 'mine');
});
test.after.always(() => removeTempDir(template));

function contradictory(t: ExecutionContext): string {
  const dir = tempDir(t);
  fs.cpSync(template, dir, { recursive: true, preserveTimestamps: true });
  return dir;
}

function commit(dir: string, text: string): void {
  fs.writeFileSync(join(dir, 'notes.txt'), `${text}\n`);
  gitIn(dir, 'add', '.');
  gitIn(dir, 'commit', '--quiet', '-m', text);
}

test('each command of the owner’s that stops at a conflict is known until it is aborted', (t) => {
  const dir = contradictory(t);
  for (const [name, begin, abort] of [
    ['a rebase', ['rebase', 'other'], 'rebase'],
    ['a rebase or git am', ['am', '--3way', '.git/other.patch'], 'am'],
    ['a merge', ['merge', 'other'], 'merge'],
    ['a cherry-pick', ['cherry-pick', 'other'], 'cherry-pick'],
    ['a revert', ['revert', '--no-edit', 'base'], 'revert'],
  ] as const) {
    t.throws(() => gitIn(dir, ...begin), undefined, name);
    t.is(unfinishedCommand({ gitDir: join(dir, '.git') }), name);
    gitIn(dir, abort, '--abort');
    t.is(unfinishedCommand({ gitDir: join(dir, '.git') }), undefined);
  }
});

for (const level of ['disk', 'commit'])
  test(`level ${level}: while a merge is unfinished, updates are refused, and a new article has its commit afterwards`, async (t) => {
    const dir = contradictory(t);
    const config = { site: false, durability: level };
    const { post, find } = await startHere(t, { ...inClone(dir), config });
    const data = article();
    const { url } = (await post('article.published', data)).json;
    await until('it is committed', () => committedIds(dir).length === 1);
    const { revision_id: base_revision_id } = await find(url);
    const change = update({ target_id: data.id, target_url: url, base_revision_id });
    t.throws(() => gitIn(dir, 'merge', 'other'));
    const before = gitIn(dir, 'rev-parse', 'main');
    const refused = await post('article.updated', change);
    t.is(refused.status, 503);
    t.true(refused.json.error?.includes("a merge is unfinished in the site's repository"));
    const next = article();
    t.is((await post('article.published', next)).status, level === 'disk' ? 200 : 503);
    t.is(gitIn(dir, 'rev-parse', 'main'), before);
    gitIn(dir, 'merge', '--abort');
    t.is((await post('article.published', next)).status, 200);
    await until('the new article is committed', () => committedIds(dir).includes(next.id));
    t.is((await post('article.updated', change)).status, 200);
    await until('all is committed', () => gitIn(dir, 'status', '--porcelain', 'content') === '');
    t.is(committedIds(dir).length, 3);
  });
