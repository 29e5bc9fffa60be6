import { join } from 'node:path';
import type { Article } from '../article/article.js';
import { canonicalUrl } from '../contract/canonical-url.js';
import { PressmarkError, quote } from '../errors.js';
import type { Catalog } from './catalog/catalog.js';
import type { ContentFolder, Entry, ReadFile } from './catalog/entry.js';
import type { Reading } from './reading.js';
import { NameTaken, Outdated, type Write, type Writer } from './writer.js';

export interface RemovalOptions {
  readonly content: ContentFolder;
  readonly catalog: Pick<Catalog, 'byUrl'>;
  readonly writer: Pick<Writer, 'epoch' | 'remove'>;
  readonly reading: Pick<Reading, 'current' | 'open'>;
  /** Runs work on an article under the store's lock. */
  locked<T>(id: string, work: () => Promise<T>): Promise<T>;
  /** @param how `edited`: the file is a person's edit. */
  write(file: Write, how: 'edited' | 'restored'): Promise<unknown>;
  /** Set where machines without a common folder share the articles: a file counts only where this resolves. */
  readonly ensureShared: ((entry: Entry) => Promise<void>) | undefined;
  /** Called before a file is removed; when it rejects, the file stays. */
  beforeRemoval(read: ReadFile, path: string): Promise<void>;
  /** Called when the file of a path is gone. */
  forget(path: string): void;
}

/** What takes articles out of the content folder, and puts them back. */
export function createRemoval(options: RemovalOptions) {
  const { content, catalog, writer, reading, locked, write, ensureShared, beforeRemoval, forget } = options;

  /**
   * Removes an article's file. Resolves when that is durable.
   *
   * @param keep called before, with what the file holds; when it rejects, the file stays.
   * @throws PressmarkError ARTICLE_NOT_FOUND, ARTICLE_UNREADABLE, LOCK_TIMEOUT, STORE_FAILED; what `keep` throws.
   */
  async function remove(
    id: string,
    keep: (read: ReadFile, path: string) => Promise<void>,
  ): Promise<{ readonly article: Article; readonly path: string }> {
    return locked(id, async () => {
      /** What an attempt whose end is unknown was to remove. */
      let unclear: { readonly article: Article; readonly path: string } | undefined;
      for (;;) {
        const { epoch } = writer;
        const entry = await reading.current(id);
        if (entry === undefined && unclear !== undefined) return unclear;
        if (entry === undefined)
          throw new PressmarkError('ARTICLE_NOT_FOUND', `there is no article with the id ${quote(id)}`);
        await ensureShared?.(entry);
        const { path } = entry;
        const read = await reading.open(entry);
        const { article } = read.stored;
        await beforeRemoval(read, path);
        await keep(read, path);
        try {
          const target = join(content.root, path);
          await writer.remove({ path, target, article, replaces: read.text, epoch });
        } catch (error) {
          if (!(error instanceof Outdated)) throw error;
          if (error.cause !== undefined) unclear = { article, path };
          continue;
        }
        forget(path);
        return { article, path };
      }
    });
  }

  /**
   * Puts a file that was removed back, to the byte. Resolves when that is durable.
   *
   * @throws PressmarkError USAGE where its id, its URL or its file is there again; LOCK_TIMEOUT, STORE_FAILED, FRONT_MATTER_INVALID.
   */
  async function restore(id: string, path: string, text: string): Promise<void> {
    await locked(id, async () => {
      const stored = await content.codec.decode(text, path);
      const { url } = stored.article;
      const target = join(content.root, path);
      let isUnclear = false;
      for (;;) {
        const { epoch } = writer;
        const now = await reading.current(id);
        if (now !== undefined && isUnclear && (await reading.open(now)).text === text) return;
        if (now !== undefined)
          throw new PressmarkError('USAGE', `there is an article with the id ${quote(id)} again`);
        const [other] = catalog.byUrl(canonicalUrl(url) ?? url);
        if (other !== undefined)
          throw new PressmarkError(
            'USAGE',
            `the URL ${url} has another article by now, ${other.path}; remove that, or change its URL, first`,
          );
        try {
          const file = { path, target, ...stored, text, replaces: null, epoch, isRestored: true };
          await write(file, stored.edited ? 'edited' : 'restored');
          return;
        } catch (error) {
          if (error instanceof NameTaken)
            throw new PressmarkError('USAGE', `there is another file ${path}; rename it first`);
          if (!(error instanceof Outdated)) throw error;
          isUnclear ||= error.cause !== undefined;
        }
      }
    });
  }

  return { remove, restore };
}
