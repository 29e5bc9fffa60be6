import test from 'ava';
import { createTrash, type TrashOptions } from '../../../../src/app/articles/trash-articles.js';
import { tempDir } from '../../../support/temp-dir.js';

test('the id of an article is known before its file goes, so that a redelivery after a kill cannot bring it back', async (t) => {
  const article = { id: 'bees', url: 'https://x.example/bees/', title: 'Bees', revision: 'r-1' };
  const known: string[] = [];
  const options = {
    stateDir: tempDir(t),
    prefix: '',
    siteUrl: 'https://x.example',
    editors: { note: async () => undefined },
    knownIds: { add: async ({ id }: { id: string }) => void known.push(id) },
    store: {
      remove: async (_: string, keep: (read: object, path: string) => Promise<void>) => {
        await keep({ text: 'text', stored: { article } }, 'bees.md');
        throw new Error('killed');
      },
    },
  };
  const { articles } = createTrash(options as unknown as TrashOptions);
  await t.throwsAsync(articles.trash('bees', 'r-1', {}, { name: 'Ada' }), { message: 'killed' });
  t.deepEqual(known, ['bees']);
});
