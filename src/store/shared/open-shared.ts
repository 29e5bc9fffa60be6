import fs from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../errors.js';
import type { Log } from '../../log.js';
import { createCatalog } from '../catalog/catalog.js';
import type { ContentFolder } from '../catalog/entry.js';
import type { Change } from '../catalog/scan.js';
import { loadSnapshot, saveSnapshot } from '../catalog/snapshot.js';
import { type OpenStore, prepareStateFolder } from '../open-store.js';
import { watchContent } from '../watch/watch.js';
import { updateCatalog } from './shared-catalog.js';
import type { SharedFiles } from './shared-files.js';
import { createSharedStore, type SharedStore } from './shared-store.js';
import { createWorktreeChanges } from './worktree-changes.js';

export interface OpenSharedOptions {
  readonly content: ContentFolder;
  /** The state folder, `.pressmark`; absolute. */
  readonly stateDir: string;
  readonly shared: SharedFiles;
  readonly log: Log;
  /** Receives the files of the work tree that have changed. */
  readonly onChange: (changes: readonly Change[]) => void;
  /** Whether people's edits are watched for. */
  readonly watch: boolean;
}

/** An open store for several machines. */
export interface OpenSharedStore extends OpenStore {
  readonly store: SharedStore;
}

/**
 * Opens the store of a site that several machines share. A remote that does not answer does not keep it from
 * starting: the store begins with what was fetched last.
 */
export async function openSharedStore(options: OpenSharedOptions): Promise<OpenSharedStore> {
  const { content, stateDir, shared, log, onChange, watch } = options;
  await prepareStateFolder(stateDir, log);
  fs.mkdirSync(content.root, { recursive: true });
  const catalog = createCatalog();
  const snapshotPath = join(stateDir, 'catalog-shared.jsonl');
  const { key } = content.format;
  const fromSnapshot = await loadSnapshot(snapshotPath, `shared ${key}`, catalog);
  const everything = new Set([...shared.names.keys(), ...[...catalog.entries()].map(({ path }) => path)]);
  let read = await updateCatalog(content, catalog, shared, everything);
  const worktree = createWorktreeChanges(content, catalog, onChange);
  shared.start(async (changes) => {
    for (const [path, name] of changes) {
      const entry = name === undefined ? catalog.get(path) : undefined;
      if (entry !== undefined) worktree.removed(entry);
    }
    read += await updateCatalog(content, catalog, shared, changes.keys());
  });
  try {
    await shared.refresh();
  } catch (error) {
    log.warn(
      { reason: messageOf(error) },
      'started without the remote; what is new is refused until it answers',
    );
  }

  const store = createSharedStore({ content, catalog, key, shared, worktree });
  const watcher = watch ? watchContent(content, catalog, store.look, log) : undefined;
  await watcher?.ready;

  const malformed = [...catalog.entries()].flatMap(({ path, broken, isUnsupported = false }) =>
    broken === undefined || isUnsupported ? [] : [{ path, reason: broken }],
  );
  const recovery = {
    fromSnapshot,
    files: catalog.size,
    read,
    tempFilesSwept: 0,
    updatesSettled: 0,
    malformed,
  };

  async function close(): Promise<void> {
    await store.close();
    await watcher?.close();
    try {
      await saveSnapshot(snapshotPath, `shared ${store.snapshotKey()}`, catalog);
    } catch (error) {
      log.warn(
        { reason: messageOf(error) },
        'the catalog snapshot could not be written; the next start takes longer',
      );
    }
  }

  return { store, catalog, recovery, close };
}
