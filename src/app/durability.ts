import { join } from 'node:path';
import type { Settings } from '../config/load.js';
import { PressmarkError } from '../errors.js';
import type { CommitNow } from '../git/commit-now.js';
import { committableTree } from '../git/committable.js';
import { openSharedFiles, type SharedFiles } from '../git/shared-files.js';
import type { Log } from '../log.js';
import type { ContentFolder } from '../store/entry.js';
import type { Durability } from '../store/group-commit.js';
import { openSharedStore } from '../store/open-shared.js';
import { type OpenStore, openStore } from '../store/open-store.js';
import { STAGING } from '../store/recover.js';
import type { Change } from '../store/scan.js';

/** A store in service and the parts of git that its durability level needs. */
export interface DurableStore {
  readonly opened: OpenStore;
  /** With durability `push`: what all machines share. */
  readonly shared?: SharedFiles;
  /** With durability `commit`: takes what commits before the answer. */
  readonly commitsBefore?: (commit: CommitNow) => void;
  close(): Promise<void>;
}

export interface DurableStoreOptions {
  readonly settings: Settings;
  readonly content: ContentFolder;
  readonly stateDir: string;
  readonly log: Log;
  /** A path below the content folder, as seen from the site's folder. */
  readonly siteRelative: (path: string) => string;
  readonly onChange: (changes: readonly Change[]) => void;
}

/** Where a receiver leaves how its pushes stand, below the state folder. */
export const PUSH_STATUS = 'push.json';

/**
 * Opens the store as the durability level of the config wants it.
 *
 * @throws PressmarkError CONFIG_INVALID where the level cannot be had; what `openStore` throws.
 */
export async function openDurableStore(options: DurableStoreOptions): Promise<DurableStore> {
  const { durability, git } = options.settings;
  if (durability !== 'disk' && git === false)
    throw new PressmarkError('CONFIG_INVALID', `durability: '${durability}' cannot be with git: false`);
  if (durability === 'push') return openOnRemote(options);
  return durability === 'commit' ? openWithCommits(options) : openOnDisk(options);
}

async function openOnDisk({ content, stateDir, log, onChange }: DurableStoreOptions): Promise<DurableStore> {
  const opened = await openStore({ content, stateDir, log, onChange });
  return { opened, close: opened.close };
}

async function openWithCommits(options: DurableStoreOptions): Promise<DurableStore> {
  const { settings, content, stateDir, log, onChange, siteRelative } = options;
  const { dir: siteDir, environment: env } = settings;
  await committableTree({ siteDir, content: plain(siteRelative('')), env }, 'commit');
  // The store is there before the plugins are.
  let commit: CommitNow | undefined;
  const durability: Durability = async (writes) => {
    if (commit === undefined)
      throw new PressmarkError('COMMIT_FAILED', 'git is not ready yet; send it again');
    await commit(writes.map(({ path, text, article }) => ({ path: siteRelative(path), text, article })));
  };
  const opened = await openStore({ content, stateDir, log, onChange, durability });
  return {
    opened,
    commitsBefore: (commitNow) => {
      commit = commitNow;
    },
    close: opened.close,
  };
}

async function openOnRemote(options: DurableStoreOptions): Promise<DurableStore> {
  const { settings, content, stateDir, log, onChange, siteRelative } = options;
  const git = typeof settings.git === 'object' ? settings.git : undefined;
  const push = typeof git?.push === 'object' ? git.push : undefined;
  let opened: OpenStore | undefined;
  const shared = await openSharedFiles({
    siteDir: settings.dir,
    content: plain(siteRelative('')),
    staging: join(stateDir, STAGING),
    statusPath: join(stateDir, PUSH_STATUS),
    remote: push?.remote,
    branch: push?.branch,
    fetchEvery: push?.fetchEvery ?? 5_000,
    ...(git?.author !== undefined && { author: git.author }),
    env: settings.environment,
    log: log.child({ plugin: 'git' }),
    onFiles: (paths) => void opened?.store.look(paths),
  });
  try {
    opened = await openSharedStore({ content, stateDir, shared, log, onChange });
  } catch (error) {
    await shared.close();
    throw error;
  }
  const { close } = opened;
  return {
    opened,
    shared,
    close: async () => {
      await close();
      await shared.close();
    },
  };
}

/** A folder's path without `./` in front. */
function plain(folder: string): string {
  return folder.replace(/^(?:\.\/)+/, '');
}
