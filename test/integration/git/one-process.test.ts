import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { startCommitting } from './committing.js';

// What commits before an answer, and what commits in the background, stand in one process.

const PATH = 'content/one.md';

test('two that take the index at once have it one after the other, and leave it free', async (t) => {
  const { site, takeIndex } = await startCommitting(t, PATH);
  const order: string[] = [];
  const take = async (name: string) => {
    const lock = await takeIndex();
    t.truthy(lock, name);
    order.push(`${name} has it`);
    await new Promise((resolve) => setImmediate(resolve));
    order.push(`${name} lets it go`);
    await lock?.release();
  };
  await Promise.all([take('one'), take('two'), take('three')]);
  t.deepEqual(
    order,
    ['one', 'two', 'three'].flatMap((name) => [`${name} has it`, `${name} lets it go`]),
  );
  t.deepEqual(
    (await readdir(join(site.top, '.git'))).filter((name) => name.endsWith('.lock')),
    [],
  );
});

test('what the start-up check has found is not committed over the update that has replaced it since', async (t) => {
  const { site, tip, commit, ownersCommit } = await startCommitting(t, PATH);
  await ownersCommit('as it was\n', 'Publish: One');
  const then = await tip();
  await site.write(PATH, 'edited\n');
  const edit = { content: 'edited\n', message: 'Edit: One\n', isEdit: true };
  t.true(await commit(edit, then));
  t.true(await commit({ content: 'updated\n', message: 'Update: One\n' }, await tip()));
  // the file gets the update's text only now
  t.false(await commit({ ...edit, isFound: true }, then));
  t.deepEqual((await site.subjects()).slice(1), ['Publish: One', 'Edit: One', 'Update: One']);
});
