import test from 'ava';
import { createKeeping } from '../../../../src/git/pending/keeping.js';

/** An article whose text an update replaces, and what is kept of it. */
async function kept(over: {
  revision?: string;
  isQueued?: boolean;
  isAtHead?: boolean;
  commitEdits?: boolean;
}) {
  const texts: string[] = [];
  const keepReplaced = createKeeping(
    {
      earlier: async () => [],
      isAtHead: async () => over.isAtHead ?? false,
      keep: async () => ({ name: 'text-1', before: 'tip' }),
      drop: async () => undefined,
    },
    {
      add: () => undefined,
      addReplaced: ({ saved }) => texts.push(saved),
      has: () => over.isQueued ?? false,
    },
    over.commitEdits ?? false,
  );
  await keepReplaced({ path: 'content/a.md', revision: over.revision });
  return texts;
}

test('a text that HEAD lacks is kept before an update replaces it, however old its file is', async (t) => {
  t.deepEqual(await kept({ revision: 'rev-1' }), ['text-1']);
});

test('a text that waits for its commit is kept', async (t) => {
  t.deepEqual(await kept({ revision: 'rev-1', isQueued: true, isAtHead: true }), ['text-1']);
});

test('a text that HEAD has is not kept', async (t) => {
  t.deepEqual(await kept({ revision: 'rev-1', isAtHead: true }), []);
});

test('the edit of a person is kept only where edits are committed', async (t) => {
  t.deepEqual(await kept({ commitEdits: true }), ['text-1']);
  t.deepEqual(await kept({ commitEdits: false }), []);
});
