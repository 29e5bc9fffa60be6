import fs from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../errors.js';
import type { Log } from '../log.js';
import { createCatalog } from './catalog.js';
import type { ContentFolder } from './entry.js';
import { type OpenStore, prepareStateFolder } from './open-store.js';
import type { Change } from './scan.js';
import { takeShared } from './shared-catalog.js';
import type { SharedFiles } from './shared-files.js';
import { createSharedStore, type SharedStore } from './shared-store.js';
import { createShown } from './shown.js';
import { loadSnapshot, saveSnapshot } from './snapshot.js';
import { watchContent } from './watch.js';

export interface OpenSharedOptions {
  readonly content: ContentFolder;
  /** The state folder, `.pressmark`; absolute. */
  readonly stateDir: string;
  readonly shared: SharedFiles;
  readonly log: Log;
  /** Told of files of the work tree that have changed. */
  readonly onChange: (changes: readonly Change[]) => void;
  /** Whether people's edits are watched for. */
  readonly watch: boolean;
}

/** A store for several machines, in service. */
export interface OpenSharedStore extends OpenStore {
  readonly store: SharedStore;
}

/**
 * Opens the store of a site that several machines share. A remote that does not answer does not keep it from
 * starting: what was known of it last is known still.
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
  let read = await takeShared(content, catalog, shared, everything);
  const shown = createShown(content, catalog, onChange);
  shared.onTaken(async (taken) => {
    for (const [path, name] of taken) {
      const entry = name === undefined ? catalog.get(path) : undefined;
      if (entry !== undefined) shown.unshared(entry);
    }
    read += await takeShared(content, catalog, shared, taken.keys());
  });
  try {
    await shared.fresh();
  } catch (error) {
    log.warn(
      { reason: messageOf(error) },
      'started without the remote; what is new is refused until it answers',
    );
  }

  const store = createSharedStore({ content, catalog, key, shared, shown });
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
