import type { StoredArticle } from '../article/codec.js';
import { PressmarkError } from '../errors.js';
import type { Catalog } from './catalog.js';
import { type ContentFolder, catalogId, decodeAt, entryOf } from './entry.js';
import type { Pipeline } from './pipeline.js';
import { sharedStamp } from './shared-catalog.js';
import type { Lineage, SharedFiles, WorkEdit } from './shared-files.js';

/** What became of a file of the work tree that may hold a person's edit; `shared` where it is stored now. */
export type SharedEdit = { readonly is: 'shared' } | Exclude<WorkEdit, { readonly is: 'edit' }>;

export interface EditSharingOptions {
  readonly content: ContentFolder;
  readonly catalog: Catalog;
  readonly shared: SharedFiles;
  /** That of the updates: they and edits of one article take turns. */
  readonly pipeline: Pipeline;
  /** How long it may be tried to begin with it, in milliseconds. */
  readonly beginMs: number;
}

const NONE: SharedEdit = { is: 'none' };

/**
 * Returns what stores a person's edit of a shared article for all receivers, decided as an update is: upon what is
 * shared at that moment, by compare-and-set. What was made from another version stays where it is.
 *
 * @throws PressmarkError REMOTE_UNAVAILABLE, REMOTE_DECLINED.
 */
export function createEditSharing({ content, catalog, shared, pipeline, beginMs }: EditSharingOptions) {
  return async function shareEdit(path: string): Promise<SharedEdit> {
    const id = catalog.get(path)?.id;
    if (id === undefined) return NONE;
    const deadline = performance.now() + beginMs;
    return pipeline.run(id, async () => {
      for (;;) {
        const { generation } = shared;
        let mine: StoredArticle | undefined;
        const edit = await shared.editAt(path, async (text) => {
          mine = decoded(path, text);
          return lineageOf(mine, decoded(path, (await shared.texts([path])).get(path) ?? ''));
        });
        if (edit.is !== 'edit') return edit;
        if (mine === undefined) return NONE;
        const { text } = edit;
        const { article, address } = mine;
        if (catalog.get(path)?.id !== id) return { is: 'waiting', waitingFor: 'the remote’s version' };
        if (catalogId(article.id) !== id)
          return { is: 'left', why: 'its id is another than the remote has here' };
        const stamp = () => sharedStamp(shared.names.get(path) ?? '');
        const accepted = () => catalog.set(entryOf(content, path, article, stamp(), address));
        const write = { path, text, article, replaces: null, isEdit: true, generation, deadline, accepted };
        try {
          await shared.store(write);
          return { is: 'shared' };
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
      return undefined; // malformed: it is told elsewhere
    }
  }
}

/**
 * The digest in a file is that of the version which Pressmark wrote last. It tells everything of a text that was
 * made from such a version, however it came into the work tree; of one made from another person's edit it does not.
 */
function lineageOf(mine: StoredArticle | undefined, theirs: StoredArticle | undefined): Lineage {
  // malformed: the person is in the middle of it; not edited: an earlier version of Pressmark's own
  if (mine === undefined || !mine.edited) return 'none';
  if (mine.digest === undefined || theirs?.digest === undefined) return 'unknown';
  if (mine.digest !== theirs.digest) return 'of-other';
  return theirs.edited ? 'unknown' : 'of-shared';
}
