import test from 'ava';
import { encode } from '../../../src/article/codec.js';
import { startCommitting } from './committing.js';
import { blank } from './site.js';

// The owner has committed something at the path after the last look, and edits on: a text of Pressmark's is
// committed where that commit came before it, and left out where it came after.

const PATH = 'content/one.md';
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
