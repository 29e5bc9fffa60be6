import fs from 'node:fs';
import test from 'ava';
import { debris, fileOf } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { createFaults, type Rule } from '../../support/faults.js';
import { startReceiver } from '../../support/receiver.js';

const MOMENTS: Record<string, Pick<Rule, 'call' | 'path'>> = {
  'while the new file is being written': { call: 'write', path: '\\.tmp$' },
  'while it is being synced': { call: 'fsync', path: '\\.tmp$' },
};

test('409-updated: a person who saves the file during an update, in place or by a rename, keeps their version', async (t) => {
  const faults = createFaults(t);
  const { dir, post, find } = await startReceiver(t, faults.options);
  for (const [name, moment] of Object.entries(MOMENTS))
    for (const byRename of [false, true]) {
      const data = article();
      const { url } = (await post('article.published', data)).json;
      const { revision_id: base_revision_id } = await find(url);
      const path = fileOf(dir, data.id);
      const theirs = fs.readFileSync(path, 'utf8').replace('Out of the wind.\n\n<!--', 'Mine!\n\n<!--');

      faults.set({ ...moment, save: { path, text: theirs, byRename }, times: 1 });
      const request = update({ target_id: data.id, target_url: url, base_revision_id });
      const { status, json } = await post('article.updated', request);
      t.is(status, 409, name);
      t.is(json.error, 'Article revision conflict');
      t.is(fs.readFileSync(path, 'utf8'), theirs);
      t.deepEqual(debris(dir), []);

      faults.clear();
      const now = await find(url);
      t.not(now.revision_id, base_revision_id);
      t.true(now.content_html.includes('Mine!'));
      t.is((await post('article.updated', request)).status, 409, 'a retry does not get round it');
      const based = { ...request, base_revision_id: now.revision_id };
      t.is((await post('article.updated', based)).status, 200);
    }
});
