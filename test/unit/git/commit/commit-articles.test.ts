import test from 'ava';
import { decide, type Facts } from '../../../../src/git/commit/commit-articles.js';

const DELIVERED: Facts = {
  why: 'stored',
  isDelivered: true,
  isInGit: false,
  isEdited: false,
  isStaged: false,
  committedAs: undefined,
  commitEdits: false,
};
const FOUND: Facts = { ...DELIVERED, why: 'found', isDelivered: false };
const EDITED: Facts = { ...FOUND, why: 'edited', isEdited: true };

const CASES: readonly (readonly [what: string, facts: Facts, decision: RegExp])[] = [
  ['what was delivered', DELIVERED, /^commit$/],
  ['what git has', { ...DELIVERED, isInGit: true }, /^present$/],
  [
    'what was delivered where the owner has staged something else',
    { ...DELIVERED, isStaged: true },
    /^commit$/,
  ],
  ['what a killed receiver has left', FOUND, /^commit$/],
  ['what was found and is staged', { ...FOUND, isStaged: true }, /^left to owner: you have staged it/],
  ['a rename', { ...FOUND, committedAs: 'a.md' }, /^left to owner: git has it as a\.md: the rename/],
  ['an update of a rename', { ...DELIVERED, committedAs: 'a.md' }, /^left to owner: git has it as a\.md/],
  ['no article', { ...DELIVERED, isEdited: undefined }, /^left to owner: it is not an article/],
  ['an edit', EDITED, /^left to owner: people’s edits/],
  ['an edit, with commitEdits', { ...EDITED, commitEdits: true }, /^commit$/],
  [
    'an edit made right after a delivery, which people may still go on with',
    { ...EDITED, why: 'stored', isDelivered: true, commitEdits: true },
    /^left to owner/,
  ],
  [
    'an edit of a delivered text that has no commit yet, with commitEdits',
    { ...EDITED, isDelivered: true, commitEdits: true },
    /^commit$/,
  ],
  [
    'a delivered text that an update replaces, where the owner has staged something else',
    { ...DELIVERED, why: 'replaced', isStaged: true },
    /^commit$/,
  ],
  ['an edit that an update replaces', { ...EDITED, why: 'replaced' }, /^commit$/],
  [
    'a staged edit that an update replaces',
    { ...EDITED, why: 'replaced', isStaged: true },
    /^left to owner: you have staged/,
  ],
];

for (const [what, facts, expected] of CASES)
  test(`whose it is to commit: ${what}`, (t) => {
    const decision = decide(facts);
    t.regex('because' in decision ? `${decision.kind}: ${decision.because}` : decision.kind, expected);
  });
