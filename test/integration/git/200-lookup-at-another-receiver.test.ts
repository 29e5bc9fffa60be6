import fs from 'node:fs';
import test from 'ava';
import { gitIn, inClone, makeRepository } from '../../support/clones.js';
import { fileOf } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { startHere } from '../../support/receiver-here.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { gitThatFails } from './failing-git.js';

test('with durability commit, what any receiver has found stays, also where its commit then fails', async (t) => {
  const dir = makeRepository(tempDir(t), { site: false, durability: 'commit' });
  const git = gitThatFails(t);
  const storing = await startHere(t, inClone(dir, { env: git.env }));
  const reading = await startHere(t, inClone(dir));

  const data = article();
  const { url } = (await storing.post('article.published', data)).json;
  const { revision_id: base_revision_id } = await reading.find(url);
  const change = update({ target_id: data.id, target_url: url, base_revision_id });
  git.hold();
  git.fail('update-index');
  const updated = storing.post('article.updated', change);
  await until('the update is about to be committed', git.isHeld);
  t.true(fs.readFileSync(fileOf(dir, data.id), 'utf8').includes(change.revision_id), 'its file has it');
  const waiting = storing.find(url);
  const found = (await reading.find(url)).revision_id;
  git.release();
  t.is((await updated).status, 503);
  t.is((await reading.find(url)).revision_id, found);
  t.is((await waiting).revision_id, found, 'the receiver that stores it waits, and then finds the same');

  t.is((await reading.post('article.updated', change)).status, 200, 'the other receiver commits it');
  const subjects = gitIn(dir, 'log', '--format=%s', '--', 'content').trim().split('\n');
  t.deepEqual(subjects, ['Update: Keeping bees on a windy balcony', `Publish: ${data.title}`]);
  t.is(gitIn(dir, 'status', '--porcelain', 'content'), '');
});
