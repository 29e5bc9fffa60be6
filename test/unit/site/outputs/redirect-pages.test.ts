import test from 'ava';
import { siteIndex } from '../../../../src/site/index/site-index.js';
import { redirectPages } from '../../../../src/site/outputs/redirect-pages.js';
import { openTrash } from '../../../../src/store/trash.js';
import { siteInfo } from '../../../support/site-info.js';
import { tempDir } from '../../../support/temp-dir.js';
import { post } from '../post.js';

test('redirect pages: a URL at which an article is again leads nowhere else', async (t) => {
  const stateDir = tempDir(t);
  const { keep } = openTrash(stateDir);
  for (const { id, url, path } of [post(1), post(2)])
    await keep({ id, url, path, title: '', at: '', by: 'Ada', redirect: 'https://y.example/' }, '');
  const site = siteInfo('https://x.example');
  const index = siteIndex([post(1)], new Map(), () => false);
  const planned = [...redirectPages({ site, stateDir })({ index, renderer: { key: '' } } as never)];
  t.deepEqual(
    planned.map(({ path }) => path),
    ['a2/index.html'],
  );
});
