import test from 'ava';
import { articleFiles, debris, fileOf, readStored } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { createFaults } from '../../support/faults.js';
import { startReceiver } from '../../support/receiver.js';

test('what cannot be cleaned up is left to the next start, and fails nothing that is stored', async (t) => {
  const faults = createFaults(t);
  const receiver = await startReceiver(t, faults.options);
  const { dir, post, find } = receiver;
  const data = article();

  faults.set(
    { call: 'unlink', path: '\\.(tmp|undo)$', code: 'EIO' },
    { call: 'rm', path: '\\.(tmp|undo)$', code: 'EIO' },
  );
  const first = await post('article.published', data);
  t.is(first.status, 200);
  t.is((await post('article.published', data)).text, first.text);
  const { revision_id: base_revision_id } = await find(first.json.url);
  const request = update({ target_id: data.id, target_url: first.json.url, base_revision_id });
  t.is((await post('article.updated', request)).status, 200);
  t.is((await post('article.updated', request)).status, 200);
  t.is(articleFiles(dir).length, 1);
  t.is(debris(dir).length, 2);
  await receiver.stop();

  faults.clear();
  await startReceiver(t, { ...faults.options, dir });
  t.deepEqual(debris(dir), []);
  t.is(readStored(fileOf(dir, data.id)).article.revision, request.revision_id);
});

test('an article that could not be taken back is found by its redelivery, never stored twice', async (t) => {
  const faults = createFaults(t);
  const { dir, post, find } = await startReceiver(t, faults.options);
  const data = article();
  faults.set(
    { call: 'fsync', path: '/content/articles/2026/11$', code: 'EIO' },
    { call: 'unlink', path: '\\.md$', code: 'EIO' },
  );
  for (let n = 0; n < 3; n++) t.is((await post('article.published', data)).status, 500);
  faults.clear();
  const { status, json } = await post('article.published', data);
  t.is(status, 200);
  t.is((await find(json.url)).id, data.id);
  t.is(articleFiles(dir).length, 1);
  const synced = faults.trace().filter(({ call }) => call === 'fsync');
  t.true(
    synced.some(({ paths }) => paths[0]?.endsWith('.tmp')),
    'pages of a failed sync are not trusted: the file is written anew',
  );
});
