import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { committedIds, gitIn, inClone, makeRepository } from '../../support/clones.js';
import { article, update } from '../../support/events.js';
import { startHere } from '../../support/receiver-here.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

/** Makes a repository in which two branches contradict each other. */
function contradictory(t: ExecutionContext, durability: string): string {
  const dir = makeRepository(tempDir(t), { site: false, durability });
  commit(dir, 'base');
  gitIn(dir, 'tag', 'base');
  gitIn(dir, 'checkout', '--quiet', '-b', 'other');
  commit(dir, 'other');
  gitIn(dir, 'format-patch', '-1', '--quiet', '--output', join(dir, '.git', 'other.patch'));
  gitIn(dir, 'checkout', '--quiet', 'main');
  commit(dir, 'mine');
  return dir;
}

function commit(dir: string, text: string): void {
  fs.writeFileSync(join(dir, 'notes.txt'), `${text}\n`);
  gitIn(dir, 'add', '.');
  gitIn(dir, 'commit', '--quiet', '-m', text);
}

const COMMANDS: readonly (readonly [name: string, begin: readonly string[], abort: readonly string[]])[] = [
  ['a rebase', ['rebase', 'other'], ['rebase', '--abort']],
  ['a rebase or git am', ['am', '--3way', '.git/other.patch'], ['am', '--abort']],
  ['a merge', ['merge', 'other'], ['merge', '--abort']],
  ['a cherry-pick', ['cherry-pick', 'other'], ['cherry-pick', '--abort']],
  ['a revert', ['revert', '--no-edit', 'base'], ['revert', '--abort']],
];

for (const [level, commands] of [
  ['disk', COMMANDS],
  ['commit', COMMANDS.filter(([name]) => name === 'a merge')],
] as const)
  test(`level ${level}: while a command of the owner’s is unfinished, updates are refused, and a new article has its commit afterwards`, async (t) => {
    const dir = contradictory(t, level);
    const receiver = await startHere(t, inClone(dir));
    const { post, find } = receiver;
    const data = article();
    const { url } = (await post('article.published', data)).json;
    await until('it is committed', () => committedIds(dir).length === 1);
    const { revision_id: base_revision_id } = await find(url);
    const change = { target_id: data.id, target_url: url, base_revision_id };
    for (const [name, begin, abort] of commands) {
      t.throws(() => gitIn(dir, ...begin), undefined, `${name} stops at a conflict`);
      const before = gitIn(dir, 'rev-parse', 'main');
      const refused = await post('article.updated', update(change));
      t.is(refused.status, 503, name);
      t.true(
        refused.json.error.startsWith(`${name} is unfinished in the site's repository`),
        refused.json.error,
      );
      const lookup = await post('article.lookup', { target_url: url });
      t.true(lookup.status === 200 || lookup.status === 503, `${name} does not have it removed`);
      const next = article();
      t.is((await post('article.published', next)).status, level === 'disk' ? 200 : 503, name);
      t.is(gitIn(dir, 'rev-parse', 'main'), before, `nothing is committed during ${name}`);
      gitIn(dir, ...abort);
      t.is((await post('article.published', next)).status, 200);
      await until(`the new article is committed after ${name}`, () => committedIds(dir).includes(next.id));
      t.is(gitIn(dir, 'show', 'main:notes.txt'), 'mine\n');
    }
    t.is((await post('article.updated', update(change))).status, 200);
    await until('all is committed', () => gitIn(dir, 'status', '--porcelain', 'content') === '');
    t.is(committedIds(dir).length, commands.length + 2);
  });
