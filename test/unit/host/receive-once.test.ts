import { join } from 'node:path';
import test from 'ava';
import type { ListedArticle } from '../../../src/host/articles/articles.js';
import { receivingOnce } from '../../../src/host/articles/receive-once.js';
import type { IncomingArticle } from '../../../src/host/http/adapter.js';
import { openStorage } from '../../../src/host/storage.js';
import { tempDir } from '../../support/temp-dir.js';

test('a request that is repeated changes nothing, whatever it brings, until ten minutes after the first', async (t) => {
  let now = 0;
  const stored = new Map<string, string>();
  let fails = true;
  const receive = receivingOnce(
    {
      get: async (id) => (stored.has(id) ? ({ id, url: `/${id}/` } as ListedArticle) : undefined),
      receive: async ({ id, title }) => {
        if (fails) throw new Error('the disk is full');
        stored.set(id, title);
        return { id, url: `/${id}/`, outcome: 'stored' };
      },
    },
    openStorage('x', join(tempDir(t), 'x'), () => now),
  );
  const article = (id: string, title: string): IncomingArticle => ({ id, title, contentHtml: '<p>' });
  await t.throwsAsync(receive(article('a', 'First'), { once: 'request' }));
  fails = false;
  t.like(await receive(article('b', 'First'), { once: 'request' }), { id: 'a', outcome: 'stored' });
  now += 300_000;
  t.like(await receive(article('a', 'Other'), { once: 'request' }), { id: 'a', outcome: 'known' });
  t.like(await receive(article('c', 'Other'), { once: 'request' }), { id: 'a', outcome: 'known' });
  t.deepEqual([...stored], [['a', 'First']]);
  now += 300_001;
  t.like(await receive(article('c', 'Other'), { once: 'request' }), { id: 'c', outcome: 'stored' });
});
