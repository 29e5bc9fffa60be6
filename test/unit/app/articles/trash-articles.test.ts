import test from 'ava';
import { createTrash, type TrashOptions } from '../../../../src/app/articles/trash-articles.js';
import { tempDir } from '../../../support/temp-dir.js';

const trashAt = (siteUrl: string, stateDir: string, over: object) =>
  createTrash({
    stateDir,
    prefix: '',
    siteUrl,
    editors: { note: async () => undefined },
    catalog: { get: () => undefined, byId: () => [], byUrl: () => [] },
    hooks: { doAction: async () => undefined },
    ...over,
  } as unknown as TrashOptions).articles;

const read = {
  text: 'text',
  stored: { article: { id: 'bees', url: 'https://x.example/bees/', title: 'Bees', revision: 'r-1' } },
};

/** A store in which a person removes the article. @param end what comes after its text is kept. */
const storeWith = (end: () => unknown) => ({
  remove: async (_: string, keep: (file: typeof read, path: string) => Promise<void>) => {
    await keep(read, 'bees.md');
    return end();
  },
});

test('the id of an article is known before its file goes, so that a redelivery after a kill cannot bring it back', async (t) => {
  const known: string[] = [];
  const articles = trashAt('https://x.example', tempDir(t), {
    knownIds: { add: async ({ id }: { id: string }) => void known.push(id) },
    store: storeWith(() => {
      throw new Error('killed');
    }),
  });
  await t.throwsAsync(articles.trash('bees', 'r-1', {}, { name: 'Ada' }), { message: 'killed' });
  t.deepEqual(known, ['bees']);
});

test('an article may not lead to itself, also over another one in the trash', async (t) => {
  let stored = read;
  const removing = {
    remove: async (_: string, keep: (file: typeof read, path: string) => Promise<void>) => {
      await keep(stored, 'a.md');
      return { article: stored.stored.article, path: 'a.md' };
    },
  };
  const over = { knownIds: { add: async () => undefined }, store: removing };
  const articles = trashAt('https://x.example', tempDir(t), over);
  const trash = async (id: string, redirect: string) => {
    const article = { ...read.stored.article, id, url: `https://x.example/${id}/` };
    stored = { ...read, stored: { article } };
    await articles.trash(id, 'r-1', { redirect }, { name: 'Ada' });
  };
  await trash('a', '/b');
  await trash('b', '/c/#top');
  await t.throwsAsync(trash('c', 'http://x.example/a/'), { code: 'BODY_INVALID', message: /to itself/ });
  await t.throwsAsync(trash('c', '/c'), { message: /to itself/ });
  await trash('c', '/d/');
});

test('an article whose URL is at an earlier address of the site is not restored: the next start would refuse it', async (t) => {
  const dir = tempDir(t);
  const restored: string[] = [];
  const over = {
    knownIds: { add: async () => undefined },
    store: {
      ...storeWith(() => ({ article: read.stored.article, path: 'bees.md' })),
      restore: async (id: string) => void restored.push(id),
    },
  };
  await trashAt('https://x.example', dir, over).trash('bees', 'r-1', {}, { name: 'Ada' });
  const moved = trashAt('https://x.example/blog', dir, over);
  await t.throwsAsync(moved.restore('bees', { name: 'Ada' }), { code: 'USAGE', message: /has moved/ });
  t.deepEqual(restored, []);
  await trashAt('https://x.example', dir, over).restore('bees', { name: 'Ada' });
  t.deepEqual(restored, ['bees']);
});
