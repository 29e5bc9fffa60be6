import test from 'ava';
import { startCommitting } from './committing.js';

// Two receivers on one folder have the same texts before them while a rebase is under way.

const PATH = 'content/one.md';
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
