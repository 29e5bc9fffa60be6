import { messageOf } from '../../errors.js';
import type { Log } from '../../log.js';
import { malformedFiles } from '../catalog/catalog.js';
import { saveSnapshot } from '../catalog/snapshot.js';
import type { OpenStore } from '../open-store.js';
import { watchContent } from '../watch/watch.js';
import type { SharedCatalog } from './shared-catalog.js';
import type { SharedFiles } from './shared-files.js';
import { createSharedStore } from './shared-store.js';

export interface OpenSharedOptions {
  readonly sharedCatalog: SharedCatalog;
  /** The files that the catalog is of. */
  readonly shared: SharedFiles;
  readonly log: Log;
  /** Whether people's edits are watched for. */
  readonly watch: boolean;
}

/**
 * Opens the store of a site that several machines share. A remote that does not answer does not keep it from
 * starting: the store begins with what was fetched last.
 */
export async function openSharedStore({
  sharedCatalog,
  shared,
  log,
  watch,
}: OpenSharedOptions): Promise<OpenStore> {
  const { content, catalog, snapshotPath, fromSnapshot } = sharedCatalog;
  for (const { path } of [...catalog.entries()]) if (!shared.names.has(path)) catalog.delete(path);
  try {
    await shared.refresh();
  } catch (error) {
    log.warn(
      { reason: messageOf(error) },
      'started without the remote; what is new is refused until it answers',
    );
  }

  const store = createSharedStore(sharedCatalog, shared);
  const watcher = watch
    ? watchContent({ content, log, look: store.look, lookAtFolder: store.lookAtFolder })
    : undefined;

  const recovery = {
    fromSnapshot,
    files: catalog.size,
    read: sharedCatalog.read,
    tempFilesSwept: 0,
    malformed: malformedFiles(catalog),
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
