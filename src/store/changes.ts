import { join } from 'node:path';
import type { Article } from '../article/article.js';
import type { EncodedFile } from '../article/format/encode.js';
import { canonicalUrl } from '../contract/canonical-url.js';
import { PressmarkError, quote } from '../errors.js';
import type { Catalog } from './catalog/catalog.js';
import type { ContentFolder, ReadFile } from './catalog/content-folder.js';
import type { Reading } from './reading.js';
import { type ArticleFiles, type StoredFile, untilWritten, type Writer } from './write/article-files.js';
import { NameTaken } from './write/failures.js';

export interface ChangesOptions {
  readonly content: ContentFolder;
  readonly catalog: Pick<Catalog, 'byUrl'>;
  readonly writer: Writer;
  readonly files: ArticleFiles;
  readonly reading: Pick<Reading, 'current' | 'open'>;
  /** Runs work on an article under the store's lock. */
  locked<T>(id: string, work: () => Promise<T>): Promise<T>;
}

/** Creates the operations for people and plugins: changing, removing and restoring articles' files. */
export function createChanges({ content, catalog, writer, files, reading, locked }: ChangesOptions) {
  /** @throws PressmarkError ARTICLE_NOT_FOUND, ARTICLE_UNREADABLE. */
  async function present(id: string) {
    const entry = await reading.current(id);
    if (entry === undefined)
      throw new PressmarkError('ARTICLE_NOT_FOUND', `there is no article with the id ${quote(id)}`);
    await files.ensureShared(entry);
    return { entry, path: entry.path, read: await reading.open(entry) };
  }

  /**
   * Changes an article's file by compare-and-set. Resolves when the new file is durable.
   *
   * @param make makes the new file from the present one, and is called again if that has changed. If the text is the same,
   *   nothing is written. A changed version of a person's edit is still a person's edit, unless `make` `seals` the file.
   * @returns the article; whether its file is a person's edit; `stored` if the file was written, now or by an earlier call that
   *   threw.
   * @throws PressmarkError ARTICLE_NOT_FOUND, ARTICLE_UNREADABLE, LOCK_TIMEOUT, STORE_FAILED; errors of `make`.
   */
  async function change(
    id: string,
    make: (read: ReadFile, path: string) => Promise<EncodedFile & { readonly seals?: boolean }>,
  ): Promise<{ readonly article: Article; readonly edited: boolean; readonly stored?: StoredFile }> {
    return locked(id, () =>
      untilWritten(writer, async (epoch) => {
        const { entry, path, read } = await present(id);
        const { seals = false, ...file } = await make(read, path);
        const edited = read.stored.edited && !seals;
        if (file.text === read.text) {
          // An earlier call may have stored this text and thrown an error.
          const stored = await files.acknowledge(entry);
          return { article: read.stored.article, edited, ...(stored !== undefined && { stored }) };
        }
        const stored = await files.overwrite(path, read, { ...file, epoch, isEdit: edited });
        return { article: stored.article, edited, stored };
      }),
    );
  }

  /**
   * Removes an article's file. Resolves when that is durable.
   *
   * @param keep is called before the removal; if it rejects, the file stays.
   * @throws PressmarkError ARTICLE_NOT_FOUND, ARTICLE_UNREADABLE, LOCK_TIMEOUT, STORE_FAILED; errors of `keep`.
   */
  async function remove(
    id: string,
    keep: (read: ReadFile, path: string) => Promise<void>,
  ): Promise<{ readonly article: Article; readonly path: string }> {
    return locked(id, () => {
      /** The file of the last attempt. */
      let last: { readonly article: Article; readonly path: string } | undefined;
      return untilWritten(writer, async (epoch, unclear) => {
        if (unclear !== undefined && last !== undefined && (await reading.current(id)) === undefined)
          return last;
        const { path, read } = await present(id);
        const { text, stored } = read;
        const { article, edited } = stored;
        await writer.beforeReplace?.({ path, text, article, edited, by: '' });
        await keep(read, path);
        last = { article, path };
        await files.remove({ path, target: join(content.root, path), article, replaces: text, epoch });
        return last;
      });
    });
  }

  /**
   * Restores a removed file byte for byte. Resolves when that is durable.
   *
   * @throws PressmarkError USAGE if its id, URL or path is taken by now; LOCK_TIMEOUT, STORE_FAILED, FRONT_MATTER_INVALID.
   */
  async function restore(id: string, path: string, text: string): Promise<void> {
    await locked(id, async () => {
      const stored = await content.codec.decode(text, path);
      const { url } = stored.article;
      const target = join(content.root, path);
      await untilWritten(writer, async (epoch, unclear) => {
        const now = await reading.current(id);
        if (now !== undefined && unclear !== undefined && (await reading.open(now)).text === text) return;
        if (now !== undefined)
          throw new PressmarkError('USAGE', `there is an article with the id ${quote(id)} again`);
        const [other] = catalog.byUrl(canonicalUrl(url) ?? url);
        if (other !== undefined)
          throw new PressmarkError(
            'USAGE',
            `the URL ${url} has another article by now, ${other.path}; remove that, or change its URL, first`,
          );
        const written = { isEdit: stored.edited, isRestored: true };
        const file = { path, target, ...stored, text, replaces: null, epoch, ...written };
        await files.write(file).catch((error: unknown) => {
          if (!(error instanceof NameTaken)) throw error;
          throw new PressmarkError('USAGE', `there is another file ${path}; rename it first`);
        });
      });
    });
  }

  return { change, remove, restore };
}
