import fs from 'node:fs';
import { join, relative } from 'node:path';
import test from 'ava';
import { gitIn } from '../../support/clones.js';
import { fileOf } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { createFaults } from '../../support/faults.js';
import { startReceiver } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

test('an article and an update whose writes failed and could not be undone are committed once another receiver has acknowledged them', async (t) => {
  const dir = tempDir(t);
  gitIn(dir, 'init', '--quiet', '--initial-branch=main');
  fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify({ site: false }));
  fs.writeFileSync(join(dir, '.gitignore'), '.pressmark/\n');
  const faults = createFaults(t);
  const { post, find } = await startReceiver(t, { ...faults.options, storeOnly: false, dir });
  // Only the first one has faults.
  const { post: again } = await startReceiver(t, { dir, storeOnly: false });

  const data = article();
  const folderFails = { call: 'fsync', path: '/content/articles/2026/11$', code: 'EIO' };
  faults.set(folderFails, { call: 'unlink', path: '\\.md$', code: 'EIO' });
  t.is((await post('article.published', data)).status, 500);
  faults.clear();
  const { status, json } = await again('article.published', data);
  t.is(status, 200);
  const path = relative(dir, fileOf(dir, data.id));
  const subjects = () => gitIn(dir, 'log', '--reverse', '--format=%s', '--', path).trim().split('\n');
  const hasCommits = (count: number) => {
    try {
      return subjects().length === count && gitIn(dir, 'status', '--porcelain', '--', path) === '';
    } catch {
      return false; // there is no commit at all yet
    }
  };
  await until('the article has its commit without a restart', () => hasCommits(1));

  const { revision_id: base_revision_id } = await find(json.url);
  const request = update({ target_id: data.id, target_url: json.url, base_revision_id });
  faults.set(folderFails, { call: 'rename', path: '\\.md$', skip: 1, code: 'EIO' });
  t.is((await post('article.updated', request)).status, 500);
  faults.clear();
  t.is((await again('article.updated', request)).status, 200);
  await until('the update has its commit without a restart', () => hasCommits(2));
  t.deepEqual(subjects(), [`Publish: ${data.title}`, 'Update: Keeping bees on a windy balcony']);
});
