import { hash } from 'node:crypto';
import test from 'ava';
import { amend } from '../../../../src/article/amend.js';
import { draftOf } from '../../../../src/article/article.js';
import { decode, encodeFirst } from '../../../../src/article/codec.js';
import { PressmarkError } from '../../../../src/errors.js';
import { DEFAULT_FILE_PATTERN, DEFAULT_PERMALINK, patternLayout } from '../../../../src/generators/layout.js';
import { createCatalog } from '../../../../src/store/catalog/catalog.js';
import { contentFolder } from '../../../../src/store/catalog/entry.js';
import { updateCatalog } from '../../../../src/store/shared/shared-catalog.js';
import type { SharedFiles, SharedWrite } from '../../../../src/store/shared/shared-files.js';
import { createSharedStore } from '../../../../src/store/shared/shared-store.js';
import { createWorktreeChanges } from '../../../../src/store/shared/worktree-changes.js';
import { article, SENT } from '../../../support/events.js';
import { SITE_URL } from '../../../support/receiver.js';
import { tempDir } from '../../../support/temp-dir.js';

const layout = patternLayout(SITE_URL, DEFAULT_FILE_PATTERN, DEFAULT_PERMALINK);
const outdated = (cause?: unknown) => new PressmarkError('OUTDATED', 'another was first', { cause });

/** Shared files by hand; `accept` says what becomes of a write. */
function stage(
  t: { teardown(dispose: () => void): void },
  accept: (write: SharedWrite) => void | Promise<void>,
) {
  const texts = new Map<string, string>();
  const names = new Map<string, string>();
  const content = contentFolder(tempDir(t), layout);
  const catalog = createCatalog();
  const put = (path: string, text: string) => {
    texts.set(path, text);
    names.set(path, hash('sha1', text));
  };
  const shared: SharedFiles = {
    names,
    texts: async (paths) => new Map([...paths].map((path) => [path, texts.get(path) ?? ''])),
    refresh: async () => undefined,
    store: async (write) => {
      await accept(write);
      if (!write.isCurrent()) throw outdated();
      put(write.path, write.text);
      write.accepted();
    },
  };
  /** What another machine stores. */
  const other = async (path: string, text: string) => {
    put(path, text);
    await updateCatalog(content, catalog, shared, [path]);
  };
  const worktree = createWorktreeChanges(content, catalog, () => undefined);
  return {
    store: createSharedStore({ content, catalog, key: content.format.key, worktree }, shared),
    texts,
    other,
  };
}

function updateOf(id: string, url: string, base: string, revision: string) {
  const { title: _, ...draft } = draftOf(article({ id }));
  const content = { ...draft, title: revision };
  return [
    { targetId: id, targetUrl: url, base, revision },
    async () => ({ updated: SENT, content }),
  ] as const;
}

/** The file as another machine's update has left it. */
function updated(text: string, revision: string): string {
  const { article: stored } = decode(text, { id: '', slug: '', url: () => '' });
  return amend(text, stored, { ...stored, revision, updated: SENT });
}

test('an id that another machine has stored meanwhile is known, and a slug that it has taken gets a number', async (t) => {
  const [mine, same, theirs] = ['mine', 'same', 'theirs'].map((id) => draftOf(article({ id, slug: 'hive' })));
  if (mine === undefined || same === undefined || theirs === undefined) return t.fail();
  let first = true;
  const { store, other } = stage(t, async () => {
    if (!first) return;
    first = false;
    const url = layout.url('hive', SENT);
    await other(layout.path('hive', SENT), encodeFirst({ ...theirs, slug: 'hive', url, updated: null }).text);
    throw outdated();
  });
  const stored = await store.publish(mine.id, async () => mine);
  t.is(stored.url, `${SITE_URL}/articles/hive-2/`);
  t.like(await store.publish('theirs', async () => same), {
    outcome: 'known',
    url: `${SITE_URL}/articles/hive/`,
  });
});

test('an update is refused as a conflict where another machine has stored one before it', async (t) => {
  let path = '';
  let rival = false;
  const { store, texts, other } = stage(t, async (write) => {
    path = write.path;
    if (!rival) return;
    await other(path, updated(texts.get(path) ?? '', 'theirs'));
    throw outdated();
  });
  const { id, url, stored } = await store.publish('a', async () => draftOf(article({ id: 'a' })));
  rival = true;
  const error = await t.throwsAsync(
    store.update(...updateOf(id, url, stored?.article.revision ?? '', 'mine')),
  );
  t.is(error instanceof PressmarkError && error.code, 'REVISION_CONFLICT');
});

test('an update that may have been stored and replaced since is not refused as if it had never been', async (t) => {
  const silence = new PressmarkError('REMOTE_UNAVAILABLE', 'the git remote did not answer');
  let rival = false;
  const { store, texts, other } = stage(t, async ({ path, text }) => {
    if (!rival) return;
    // the push had landed, and another machine has gone on from there
    texts.set(path, text);
    await other(path, updated(text, 'theirs'));
    throw outdated(silence);
  });
  const { id, url, stored } = await store.publish('a', async () => draftOf(article({ id: 'a' })));
  rival = true;
  const error = await t.throwsAsync(
    store.update(...updateOf(id, url, stored?.article.revision ?? '', 'mine')),
  );
  t.is(error, silence);
});

test('an article is not updated at a URL where another machine has put a second article', async (t) => {
  const { store, other } = stage(t, () => undefined);
  const { id, url, stored } = await store.publish('a', async () => draftOf(article({ id: 'a' })));
  const theirs = encodeFirst({ ...draftOf(article({ id: 'b' })), slug: 'b', url, updated: null });
  await other('b.md', theirs.text);
  const error = await t.throwsAsync(
    store.update(...updateOf(id, url, stored?.article.revision ?? '', 'mine')),
  );
  t.is(error instanceof PressmarkError && error.code, 'ARTICLE_AMBIGUOUS');
});
