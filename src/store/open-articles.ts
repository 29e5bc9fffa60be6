import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf, PressmarkError } from '../errors.js';
import { syncDirectory, writeAtomically } from '../fs/atomic-write.js';
import { createLock, type Lock } from '../fs/lock.js';
import { findLockHelper } from '../fs/lock-helper.js';
import type { Log } from '../log.js';
import { type ArticleStore, createStore } from './article-store.js';
import { createAddressRefresh } from './catalog/address-refresh.js';
import { type Catalog, createCatalog } from './catalog/catalog.js';
import type { ContentFolder } from './catalog/content-folder.js';
import { type ContentChange, isArticlePath } from './catalog/scan.js';
import { saveSnapshot, snapshotOf } from './catalog/snapshot.js';
import { openTrash } from './trash.js';
import { watchContent } from './watch/watch.js';
import type { Writer } from './write/article-files.js';
import { createDiskWriter } from './write/durable-write.js';
import { type RecoveryReport, recover, STAGING } from './write/recover.js';

/** The number of files read from which the start saves the snapshot at once, as the receiver may be killed before it stops. */
const MANY_FILES = 1_000;

export interface OpenStoreOptions {
  readonly content: ContentFolder;
  /** The catalog to fill from the files. @default a new one */
  readonly catalog?: Catalog;
  /** The state folder, `.pressmark`; absolute. */
  readonly stateDir: string;
  readonly log: Log;
  /** Whether the content folder is watched for people's edits. @default true */
  readonly watch?: boolean;
  /** Opens the writer of the durability level. @default a writer to this disk only */
  readonly openWriter?: (store: WriterHost) => Promise<Writer>;
  /** Called with the changes that another program or process made to files. */
  readonly onChange?: (changes: readonly ContentChange[]) => void;
}

/** The store's functions for its writer. */
export interface WriterHost {
  /** Writes to this disk only. */
  readonly disk: Writer;
  readonly lock: Lock;
  /** Reads files again that the writer has changed; paths are below the content folder. */
  readAgain(paths: Iterable<string>): Promise<void>;
}

/** An open store. */
export interface OpenStore {
  readonly store: ArticleStore;
  readonly catalog: Catalog;
  readonly recovery: RecoveryReport;
  /** Waits for all operations, writes the snapshot, and releases the lock. */
  close(): Promise<void>;
}

/**
 * Opens the store of a site: state folder, lock, catalog, recovery, writer, watcher.
 *
 * @throws PressmarkError LOCK_HELPER_MISSING, LOCK_TIMEOUT; the system's error if a folder cannot be made.
 */
export async function openArticles({
  content,
  catalog = createCatalog(),
  stateDir,
  log,
  watch = true,
  openWriter = async ({ disk }) => disk,
  onChange,
}: OpenStoreOptions): Promise<OpenStore> {
  await prepareStateFolder(stateDir, log);
  const lock = createLock({ directory: stateDir, helper: findLockHelper() });
  let store: ArticleStore | undefined;
  const readAgain = async (paths: Iterable<string>) =>
    store?.readShared([...paths].filter((path) => isArticlePath(content, path)));
  const disk = createDiskWriter(content.root, join(stateDir, STAGING), log);
  // Opened before the files are read, as the writer may update the work tree.
  const writer = await openWriter({ disk, lock, readAgain }).catch((error: unknown) => {
    lock.close();
    throw error;
  });
  const { path: snapshotPath, key: snapshotKey } = snapshotOf(stateDir, content);
  const addresses = createAddressRefresh(content, catalog);
  const recovery = await recover({ content, catalog, lock, log, snapshotPath, snapshotKey }).catch(
    async (error: unknown) => {
      await writer.close?.();
      lock.close();
      throw error;
    },
  );
  catalog.byId(''); // makes the indexes before the first delivery

  const opened = createStore({
    trash: openTrash(stateDir),
    content,
    catalog,
    addresses,
    lock,
    writer,
    log,
    onChange: (changes) => {
      for (const { path, after } of changes) {
        if (after?.broken !== undefined && !after.isUnsupported) warnOfBroken(log, path, after.broken);
      }
      onChange?.(changes);
    },
  });
  store = opened;
  const { compareFolder } = opened;
  const watcher = watch
    ? watchContent({ content, log, readAgain: opened.readAgain, compareFolder })
    : undefined;

  async function save(): Promise<void> {
    try {
      // Under the lock, as another receiver's recovery removes temp files under it.
      await lock.run(() => saveSnapshot(snapshotPath, addresses.key, catalog));
    } catch (error) {
      log.warn(
        { reason: messageOf(error) },
        'the catalog snapshot could not be written; the next start takes longer',
      );
    }
  }

  const saving = recovery.read > MANY_FILES ? save() : undefined;

  async function close(): Promise<void> {
    await opened.close();
    await writer.close?.();
    await watcher?.close();
    await saving;
    await save();
    lock.close();
  }

  return { store: opened, catalog, recovery, close };
}

/** Logs an article file that is malformed or cannot be read. */
export function warnOfBroken(log: Log, path: string, reason: string): void {
  log.warn({ path, reason }, 'malformed or unreadable article file; it is skipped until it is fixed');
}

/** The text of a `.gitignore` that ignores its folder and itself. */
const IGNORE_ALL = '*\n';

/**
 * Makes the state folder with a `.gitignore`, so that `git add .` never adds it. The start does not fail if the disk is full.
 *
 * @throws PressmarkError STORE_FAILED if the folder cannot be made.
 */
export async function prepareStateFolder(stateDir: string, log: Log): Promise<void> {
  const path = join(stateDir, '.gitignore');
  try {
    fs.mkdirSync(stateDir, { recursive: true });
  } catch (cause) {
    throw new PressmarkError('STORE_FAILED', `the state folder cannot be made: ${messageOf(cause)}`, {
      cause,
    });
  }
  try {
    const present = fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : undefined;
    if (present === IGNORE_ALL) return;
    await writeAtomically(path, IGNORE_ALL);
    await syncDirectory(dirname(stateDir));
  } catch (error) {
    log.warn(
      { reason: messageOf(error) },
      'the .gitignore of the state folder could not be written; git does not ignore that folder until the next start',
    );
  }
}
