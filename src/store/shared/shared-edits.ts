import type { StoredArticle } from '../../article/codec.js';
import { PressmarkError } from '../../errors.js';
import type { Catalog } from '../catalog/catalog.js';
import { type ContentFolder, catalogId, decodeAt, entryOf } from '../catalog/entry.js';
import type { Pipeline } from '../write/pipeline.js';
import { sharedStamp } from './shared-catalog.js';
import type { Lineage, SharedEdit, SharedFiles } from './shared-files.js';

export interface EditSharingOptions {
  readonly content: ContentFolder;
  readonly catalog: Catalog;
  readonly shared: SharedFiles;
  /** That of the updates: updates and edits of one article take turns. */
  readonly pipeline: Pipeline;
  /** How long it may be tried to begin with it, in milliseconds. */
  readonly beginMs: number;
}

/**
 * Returns a function that stores a person's edit of a shared article for all receivers. The decision is that of an
 * update: a compare-and-set against what is shared at that moment. An edit of another version stays in the work tree.
 *
 * @throws PressmarkError REMOTE_UNAVAILABLE, REMOTE_DECLINED.
 */
export function createEditSharing({ content, catalog, shared, pipeline, beginMs }: EditSharingOptions) {
  return async function shareEdit(path: string): Promise<SharedEdit> {
    const id = catalog.get(path)?.id;
    if (id === undefined) return { kind: 'none' };
    const deadline = performance.now() + beginMs;
    return pipeline.run(id, async () => {
      for (;;) {
        const base = shared.names.get(path);
        let local: StoredArticle | undefined;
        const edit = await shared.editAt(path, async (text) => {
          local = decoded(path, text);
          return lineageOf(local, decoded(path, (await shared.texts([path])).get(path) ?? ''));
        });
        if (edit.kind !== 'edit') return edit;
        if (local === undefined) return { kind: 'none' };
        const { text } = edit;
        const { article, address } = local;
        if (catalog.get(path)?.id !== id) return { kind: 'waiting', waitingFor: 'the remote’s version' };
        if (catalogId(article.id) !== id)
          return { kind: 'refused', why: 'its id is not the one that the remote has at this path' };
        const isCurrent = () => shared.names.get(path) === base;
        const stamp = () => sharedStamp(shared.names.get(path) ?? '');
        const accepted = () => catalog.set(entryOf(content, path, article, stamp(), address));
        const write = { path, text, article, replaces: null, isEdit: true, deadline, isCurrent, accepted };
        try {
          await shared.store(write);
          return { kind: 'shared' };
        } catch (error) {
          if (!(error instanceof PressmarkError) || error.code !== 'OUTDATED') throw error;
        }
      }
    });
  };

  function decoded(path: string, text: string) {
    try {
      return decodeAt(content, path, text);
    } catch {
      return undefined; // malformed; the catalog's entry reports it
    }
  }
}

/**
 * The digest in a file is that of the version which Pressmark wrote last. It proves the origin of a text that was made
 * from such a version, however the text came into the work tree. It proves nothing of a text that was made from another
 * person's edit.
 */
function lineageOf(local: StoredArticle | undefined, upstream: StoredArticle | undefined): Lineage {
  // malformed: the person is in the middle of it; not edited: an earlier version of Pressmark's own
  if (local === undefined || !local.edited) return 'none';
  if (local.digest === undefined || upstream?.digest === undefined) return 'unknown';
  if (local.digest !== upstream.digest) return 'of-other';
  return upstream.edited ? 'unknown' : 'of-shared';
}
