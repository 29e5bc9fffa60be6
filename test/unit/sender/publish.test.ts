import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { articleId } from '../../../src/sender/article/compose.js';
import { readDraft } from '../../../src/sender/article/draft.js';
import { dryRun } from '../../../src/sender/publish.js';
import { openQueue } from '../../../src/sender/queue/queue.js';
import { connected, T0 } from '../../support/sender.js';

test('a file whose article is already that of another file is refused by its id, which may be made from its path', async (t) => {
  const { state, connector } = await connected(t, 'https://r.example/hook');
  const [older, newer] = [join(state.dir, 'older.md'), join(state.dir, 'newer.md')];
  fs.writeFileSync(newer, '---\ntitle: Newer\n---\nText.\n');
  const id = articleId(readDraft(newer, null), connector, state.dir, newer);
  fs.writeFileSync(older, `---\ntitle: Older\ndate: 2020-01-01\nid: ${id}\n---\nOther text.\n`);
  const [first, second] = dryRun(openQueue({ state }), state, connector, [newer, older], () => T0);
  t.like(first, { path: older, kind: 'queued' });
  t.like(second, { path: newer, kind: 'refused', why: `older.md has the same id, ${id}` });
});
