import fs from 'node:fs';
import { join } from 'node:path';
import type { Stamp } from '../../fs/stamp.js';
import type { Log } from '../../log.js';
import { type Catalog, createCatalog } from '../catalog/catalog.js';
import { type ContentFolder, entryIn, sameStamp } from '../catalog/entry.js';
import { type Change, isArticlePath } from '../catalog/scan.js';
import { loadSnapshot } from '../catalog/snapshot.js';
import { prepareStateFolder } from '../open-store.js';
import type { OnFetched, SharedChanges, SharedFiles } from './shared-files.js';
import { createWorktreeChanges, type WorktreeChanges } from './worktree-changes.js';

/** Files that are read at once, whose texts are in memory together: a megabyte each at most. */
const CHUNK = 100;

/** A stamp made from a content's name: the same name, the same content. */
export function sharedStamp(name: string): Stamp {
  return {
    ino: Number.parseInt(name.slice(0, 12), 16),
    size: Number.parseInt(name.slice(12, 24), 16),
    mtimeMs: 0,
  };
}

/**
 * Brings the catalog up to date with the shared files at these paths.
 *
 * @returns how many files were read.
 */
export async function updateCatalog(
  content: ContentFolder,
  catalog: Catalog,
  shared: Pick<SharedFiles, 'names' | 'texts'>,
  paths: Iterable<string>,
): Promise<number> {
  const stamps = new Map<string, Stamp>();
  for (const path of paths) {
    if (!isArticlePath(content, path)) continue;
    const name = shared.names.get(path);
    const known = catalog.get(path);
    if (name === undefined) catalog.delete(path);
    else if (known === undefined || !sameStamp(known.stamp, sharedStamp(name)))
      stamps.set(path, sharedStamp(name));
  }
  const changed = [...stamps.keys()];
  for (let start = 0; start < changed.length; start += CHUNK) {
    for (const [path, text] of await shared.texts(changed.slice(start, start + CHUNK))) {
      const stamp = stamps.get(path);
      if (stamp !== undefined) catalog.set(entryIn(content, path, { text, stamp }, catalog.get(path)));
    }
  }
  return changed.length;
}

/** The catalog of the shared articles; see `openSharedCatalog`. */
export interface SharedCatalog {
  readonly content: ContentFolder;
  readonly catalog: Catalog;
  readonly worktree: WorktreeChanges;
  /** The key of the content's format before the catalog was filled. */
  readonly key: string;
  readonly snapshotPath: string;
  /** Entries taken from the snapshot. */
  readonly fromSnapshot: number;
  /** How many files have been read. */
  readonly read: number;
  readonly onFetched: OnFetched;
}

export interface SharedCatalogOptions {
  readonly content: ContentFolder;
  /** The state folder, `.pressmark`; absolute. */
  readonly stateDir: string;
  readonly log: Log;
  /** Receives the files of the work tree that have changed. */
  readonly onChange: (changes: readonly Change[]) => void;
}

/** Fills a catalog of shared articles from its snapshot. The shared files bring it up to date when they are opened. */
export async function openSharedCatalog({
  content,
  stateDir,
  log,
  onChange,
}: SharedCatalogOptions): Promise<SharedCatalog> {
  await prepareStateFolder(stateDir, log);
  fs.mkdirSync(content.root, { recursive: true });
  const catalog = createCatalog();
  const worktree = createWorktreeChanges(content, catalog, onChange);
  const snapshotPath = join(stateDir, 'catalog-shared.jsonl');
  const { key } = content.format;
  const fromSnapshot = await loadSnapshot(snapshotPath, `shared ${key}`, catalog);
  let read = 0;

  async function onFetched(changes: SharedChanges, files: Pick<SharedFiles, 'names' | 'texts'>) {
    for (const [path, name] of changes) {
      const entry = name === undefined ? catalog.get(path) : undefined;
      if (entry !== undefined) worktree.removed(entry);
    }
    read += await updateCatalog(content, catalog, files, changes.keys());
  }

  return {
    content,
    catalog,
    worktree,
    key,
    snapshotPath,
    fromSnapshot,
    get read() {
      return read;
    },
    onFetched,
  };
}
