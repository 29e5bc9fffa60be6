import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { encode } from '../../../src/article/codec.js';
import { startCommitting } from './committing.js';
import { blank } from './site.js';

// What commits before an answer, what commits in the background, and other receivers meet at one path.

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

// Two receivers on one folder have the same texts before them while a rebase is under way.

const PUBLISHED = { content: 'published\n', message: 'Publish: One\n\n' };
const UPDATED = { content: 'updated\n', message: 'Update: One\n\n' };
const EDIT = { content: 'edited\n', message: 'Edit: One\n\n', isEdit: true };

test('what another receiver has parked, with something newer behind it, is not parked over that', async (t) => {
  const { park, parked, tip } = await startCommitting(t, PATH);
  const head = await tip();
  await park([PUBLISHED, EDIT, UPDATED], head);
  await park([PUBLISHED], head);
  await park([{ ...EDIT, isOthers: true }], head);
  await park([PUBLISHED, UPDATED], head);
  t.deepEqual(await parked(), ['Publish: One', 'Edit: One', 'Update: One']);
});

test('what a person writes once more is parked once more', async (t) => {
  const { park, parked, tip } = await startCommitting(t, PATH);
  const head = await tip();
  await park([PUBLISHED, EDIT], head);
  await park([UPDATED, EDIT], head);
  t.deepEqual(await parked(), ['Publish: One', 'Edit: One', 'Update: One', 'Edit: One']);
});

// The owner has committed something at the path after the last look, and edits on: a text of Pressmark's is
// committed where that commit came before it, and left out where it came after.

const FIRST = encode(blank('one'));
const UPDATE = encode({ ...blank('one'), title: 'Rewritten', revision: 'r2' });
const request = { content: UPDATE, message: 'Update: Rewritten\n' };

test('an update whose file is edited on has its commit, over what the owner had committed before it', async (t) => {
  const { site, tip, commit, ownersCommit } = await startCommitting(t, PATH);
  await ownersCommit(FIRST, 'Publish: One');
  const then = await tip();
  await ownersCommit(`${FIRST}my words\n`, 'Mine');
  await site.write(PATH, `${UPDATE}more words\n`);
  t.true(await commit(request, then));
  t.deepEqual((await site.subjects()).slice(1), ['Publish: One', 'Mine', 'Update: Rewritten']);
  t.is(await site.git('show', `HEAD:${PATH}`), UPDATE);
});

test('an update that the owner has edited and committed is not committed over that', async (t) => {
  const { site, tip, commit, ownersCommit } = await startCommitting(t, PATH);
  await ownersCommit(FIRST, 'Publish: One');
  const then = await tip();
  await ownersCommit(`${UPDATE}my words\n`, 'Mine');
  await site.write(PATH, `${UPDATE}my words\nmore words\n`);
  t.false(await commit(request, then));
});

test('an update that the owner has gone back behind is not committed, nor where its file is away', async (t) => {
  const { site, tip, commit, ownersCommit } = await startCommitting(t, PATH);
  await ownersCommit(FIRST, 'Publish: One');
  const then = await tip();
  await ownersCommit(`${FIRST}my words\n`, 'Mine');
  t.false(await commit(request, then));
  await site.write(PATH, `${FIRST}my words\nmore words\n`);
  t.false(await commit(request, then));
  await site.git('rm', '-q', '-f', PATH);
  t.false(await commit(request, then));
});
