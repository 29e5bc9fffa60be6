import fs from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import { publishForUpdate } from '../../support/client.js';
import { edit, fileOf } from '../../support/content.js';
import { article, type UpdatedData } from '../../support/events.js';
import { STORE_ONLY } from '../../support/receiver.js';
import { type ReceiverHere, sharedHere, startHere } from '../../support/receiver-here.js';

const receiver = sharedHere(test, STORE_ONLY);

/** Edits of the text, of json_ld, of a key of the owner's, and one that an editor saves by rename. */
const EDITS: readonly ((path: string) => void)[] = [
  (path) => edit(path, 'Out of the wind.\n\n<!--', 'Out of the wind, always.\n\n<!--'),
  (path) => edit(path, String.raw`\"Article\"`, String.raw`\"BlogPosting\"`),
  (path) => edit(path, '\nslug:', '\ndraft: true\nslug:'),
  (path) => {
    fs.writeFileSync(`${path}.swp`, fs.readFileSync(path, 'utf8').replace('Keeping', 'Housing'));
    fs.renameSync(`${path}.swp`, path);
  },
];

/** A published article's file, and an update that succeeds while nobody edits the file. */
async function prepare() {
  const data = article();
  const { request } = await publishForUpdate(receiver(), data);
  return { path: fileOf(receiver().dir, data.id), request };
}

/** Asserts that an update is refused in the contract's words, and that what the person wrote stays. */
async function mustConflict(t: ExecutionContext, on: ReceiverHere, path: string, request: UpdatedData) {
  const theirs = fs.readFileSync(path, 'utf8');
  const { status, text } = await on.post('article.updated', request);
  t.is(status, 409);
  t.is(fs.readFileSync(path, 'utf8'), theirs, 'the text of the person is unchanged');
  const { revision_id } = await on.find(request.target_url);
  t.not(revision_id, request.base_revision_id, 'the edit has made a new revision');
  t.deepEqual(JSON.parse(text), {
    error: 'Article revision conflict',
    base_revision_id: request.base_revision_id,
    current_revision_id: revision_id,
  });
}

test.serial(
  '409-updated-after-edit: an edit makes an update stale at once, and one that is based on it succeeds',
  async (t) => {
    for (const make of EDITS) {
      const { path, request } = await prepare();
      make(path);
      await mustConflict(t, receiver(), path, request);
      const { revision_id: base_revision_id } = await receiver().find(request.target_url);
      t.is((await receiver().post('article.updated', { ...request, base_revision_id })).status, 200);
    }
  },
);

test.serial(
  '409-updated-after-edit: a retry that comes after an edit of what it stored does not take the edit back',
  async (t) => {
    const { path, request } = await prepare();
    t.is((await receiver().post('article.updated', request)).status, 200);
    edit(path, `Rewritten as ${request.id}.\n\n<!--`, 'Written by hand.\n\n<!--');
    await mustConflict(t, receiver(), path, request);
    await mustConflict(t, receiver(), path, request);
  },
);

// Last, as it ends the receiver of this file.
test.serial(
  '409-updated-after-edit: edits that are made while no receiver runs make updates stale',
  async (t) => {
    const prepared = [];
    for (const make of EDITS) prepared.push({ make, ...(await prepare()) });
    await receiver().close();
    for (const { make, path } of prepared) make(path);
    const restarted = await startHere(t, { dir: receiver().dir });
    for (const { path, request } of prepared) await mustConflict(t, restarted, path, request);
  },
);
