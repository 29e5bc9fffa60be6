import test from 'ava';
import { type BatchDraft, planIndex } from '../../../../src/git/commit/index-plan.js';

const draft = (path: string, id: string, rest: Partial<BatchDraft> = {}): BatchDraft => ({
  path,
  blob: { id, content: undefined },
  message: '',
  mode: '100644',
  yieldsToStaged: false,
  ...rest,
});
const entry = (path: string, blob: string, mode = '100644') => ({ path, blob, mode });
const nothing = () => false;

test('where the owner has staged nothing, the index gets the last draft of each file', (t) => {
  const drafts = [
    draft('a', '1'),
    draft('b', '2', { yieldsToStaged: true }),
    draft('a', '3', { mode: '100755' }),
  ];
  t.deepEqual(planIndex(drafts, new Map(), nothing), {
    staged: [],
    entries: [entry('a', '3', '100755'), entry('b', '2')],
    passedOver: [],
  });
});

test('what the owner has staged stays: an article is committed without its entry, an edit is left to them', (t) => {
  const drafts = [draft('a', '1'), draft('b', '2', { yieldsToStaged: true }), draft('c', '3')];
  const inIndex = new Map([
    ['a', 'other'],
    ['b', 'other'],
  ]);
  const { staged, entries, passedOver } = planIndex(drafts, inIndex, nothing);
  t.deepEqual(
    staged.map(({ path }) => path),
    ['b'],
  );
  t.deepEqual(entries, [entry('c', '3')]);
  t.deepEqual(passedOver, ['a', 'b']);
});

test('a removal that the owner has staged stays', (t) => {
  t.deepEqual(planIndex([draft('a', '1')], new Map([['a', '']]), nothing), {
    staged: [],
    entries: [],
    passedOver: ['a'],
  });
});

test('an entry that is delivered in this batch, or that Pressmark has left, is replaced', (t) => {
  const drafts = [draft('a', '1'), draft('a', '2'), draft('b', '3', { yieldsToStaged: true })];
  const inIndex = new Map([
    ['a', '1'],
    ['b', 'left'],
  ]);
  t.deepEqual(
    planIndex(drafts, inIndex, ({ path, blob }) => path === 'b' && blob === 'left'),
    { staged: [], entries: [entry('a', '2'), entry('b', '3')], passedOver: [] },
  );
});

test('an entry that the index has already is not written again; an edit that its owner has staged is theirs', (t) => {
  t.deepEqual(planIndex([draft('a', '1')], new Map([['a', '1']]), nothing).entries, []);
  const edit = draft('a', '1', { yieldsToStaged: true });
  t.deepEqual(planIndex([edit], new Map([['a', '1']]), nothing).staged, [edit]);
});
