import test from 'ava';
import { decideByBlob, decideByText, type TextFacts } from '../../../../src/git/pending/commit-decision.js';

const DELIVERED = {
  kind: 'delivered',
  commit: 'Update',
  blob: 'new',
  message: Promise.resolve('m'),
} as const;
const FOUND = { kind: 'found' } as const;

test('a text that git has at its path needs no commit', (t) => {
  t.is(decideByBlob({ cause: DELIVERED, raw: 'new', blob: 'new', before: 'new' }), 'present');
  t.is(decideByBlob({ cause: FOUND, raw: 'raw', blob: 'filtered', before: 'filtered' }), 'present');
});

test('a delivered text gets the message of its delivery while the file holds it', (t) => {
  t.is(decideByBlob({ cause: DELIVERED, raw: 'new', blob: 'filtered', before: 'old' }), 'delivered');
  t.is(decideByBlob({ cause: DELIVERED, raw: 'other', blob: 'other', before: 'old' }), 'undecided');
  t.is(decideByBlob({ cause: FOUND, raw: 'new', blob: 'new', before: undefined }), 'undecided');
});

const PRISTINE: TextFacts = {
  cause: FOUND,
  file: { pristine: true, commit: 'Publish' },
  isReplaced: false,
  commitEdits: false,
  wasCommitted: false,
  isStale: false,
  isRecordedStale: false,
};
const EDIT: TextFacts = { ...PRISTINE, file: { pristine: false, commit: 'Update' } };

const kindOf = (facts: TextFacts) => {
  const decision = decideByText(facts);
  return decision.kind === 'commit' ? decision.as : decision.kind;
};

test('a text of Pressmark gets a commit as what it says it is', (t) => {
  t.is(kindOf(PRISTINE), 'Publish');
  t.is(kindOf({ ...PRISTINE, isReplaced: true }), 'Publish');
});

test('what the branch had once is left alone: the owner has gone back to it or has taken it out', (t) => {
  t.is(kindOf({ ...PRISTINE, wasCommitted: true }), 'present');
  t.is(kindOf({ ...EDIT, wasCommitted: true, isReplaced: true }), 'present');
});

test('a person’s edit gets a commit if edits are committed, and in any case before an update replaces it', (t) => {
  t.is(kindOf(EDIT), 'none');
  t.is(kindOf({ ...EDIT, commitEdits: true }), 'Edit');
  t.is(kindOf({ ...EDIT, isReplaced: true }), 'Edit');
  t.is(kindOf({ ...EDIT, cause: DELIVERED, commitEdits: true }), 'none');
  t.is(kindOf({ ...EDIT, cause: { ...DELIVERED, isEdited: true }, commitEdits: true }), 'Edit');
  t.is(kindOf({ ...EDIT, cause: { ...DELIVERED, isEdited: true } }), 'none');
});

test('an edit of an older version than HEAD has is committed only before an update replaces it', (t) => {
  t.is(kindOf({ ...EDIT, commitEdits: true, isStale: true }), 'none');
  t.is(kindOf({ ...EDIT, commitEdits: true, isStale: true, isReplaced: true }), 'Edit');
});

test('a file that was left alone when the branch took in what others have pushed is never committed', (t) => {
  for (const facts of [PRISTINE, EDIT])
    t.is(kindOf({ ...facts, isRecordedStale: true, isReplaced: true, commitEdits: true }), 'none');
});

test('what is not an article is not committed', (t) => {
  t.is(kindOf({ ...PRISTINE, file: undefined }), 'none');
});
