import test from 'ava';
import { decide, type Facts } from '../../../../src/git/commit/commit-articles.js';

const DELIVERED: Facts = {
  why: 'stored',
  isInGit: false,
  isEdited: false,
  isStaged: false,
  committedAs: undefined,
  commitEdits: false,
};
const EDITED: Facts = { ...DELIVERED, why: 'edited', isEdited: true };

const CASES: readonly (readonly [what: string, facts: Facts, decision: RegExp])[] = [
  ['what was delivered', DELIVERED, /^commit$/],
  ['what git has', { ...DELIVERED, isInGit: true }, /^present$/],
  [
    'what was delivered where the owner has staged something else',
    { ...DELIVERED, isStaged: true },
    /^commit$/,
  ],
  ['what a killed receiver has left', { ...DELIVERED, why: 'found' }, /^commit$/],
  [
    'what was found and is staged',
    { ...DELIVERED, why: 'found', isStaged: true },
    /^theirs: you have staged it/,
  ],
  [
    'a rename',
    { ...DELIVERED, why: 'found', committedAs: 'a.md' },
    /^theirs: git has it as a\.md: the rename/,
  ],
  ['an update of a rename', { ...DELIVERED, committedAs: 'a.md' }, /^theirs: git has it as a\.md/],
  ['no article', { ...DELIVERED, isEdited: undefined }, /^theirs: it is not an article/],
  ['an edit', EDITED, /^theirs: people’s edits/],
  ['an edit, with commitEdits', { ...EDITED, commitEdits: true }, /^commit$/],
  ['an edit made right after a delivery', { ...EDITED, why: 'stored', commitEdits: true }, /^theirs/],
  ['an edit that an update replaces', { ...EDITED, why: 'replaced' }, /^commit$/],
  [
    'a staged edit that an update replaces',
    { ...EDITED, why: 'replaced', isStaged: true },
    /^theirs: you have staged/,
  ],
];

for (const [what, facts, expected] of CASES)
  test(`whose it is to commit: ${what}`, (t) => {
    const decision = decide(facts);
    t.regex(decision.kind === 'theirs' ? `theirs: ${decision.because}` : decision.kind, expected);
  });
