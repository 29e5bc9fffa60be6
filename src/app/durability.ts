import { join } from 'node:path';
import type { Settings } from '../config/load.js';
import { PressmarkError } from '../errors.js';
import { committableTree } from '../git/committable.js';
import type { CommitNow } from '../git/pending/commit-now.js';
import type { KeepReplaced } from '../git/pending/keeping.js';
import type { GitPluginOptions } from '../git/plugin.js';
import { createPushStatus, type PushStatusKeeper } from '../git/push/push-status.js';
import { openSharedFiles } from '../git/remote-store/push-store.js';
import type { Log } from '../log.js';
import type { ContentFolder } from '../store/entry.js';
import type { Durability } from '../store/group-commit.js';
import { type OpenSharedStore, openSharedStore } from '../store/open-shared.js';
import { type OpenStore, openStore } from '../store/open-store.js';
import { STAGING } from '../store/recover.js';
import { type Change, isArticlePath } from '../store/scan.js';
import type { ReplacedFile, StoredFile } from '../store/stored-file.js';
import { isPushed, pushConfig } from './push-settings.js';

/** A store in service, and what its durability level asks of the git plugin. */
export interface DurableStore {
  readonly opened: OpenStore;
  readonly git: Pick<GitPluginOptions, 'commitsBefore' | 'keepsReplaced' | 'shared' | 'push'>;
  /** Why nothing can be stored now, beside what the disk says. */
  readonly trouble?: () => string | undefined;
  /** How pushes stand; undefined where nothing is pushed. */
  readonly pushes: PushStatusKeeper | undefined;
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
  /** Whether people's edits are watched for. @default true */
  readonly watch?: boolean;
}

interface LevelOptions extends DurableStoreOptions {
  readonly pushes: PushStatusKeeper;
}

type Level = Omit<DurableStore, 'pushes'>;

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
  const pushes = createPushStatus(join(options.stateDir, PUSH_STATUS));
  const open = { disk: openOnDisk, commit: openWithCommits, push: openOnRemote }[durability];
  const level = await open({ ...options, pushes });
  const close = async () => {
    await level.close();
    await pushes.close();
  };
  return { ...level, pushes: isPushed(options.settings) ? pushes : undefined, close };
}

async function openOnDisk(options: LevelOptions): Promise<Level> {
  const { content, stateDir, log, onChange, siteRelative, watch = true } = options;
  // The store is there before the plugins are. Outside of a git work tree, nothing is kept.
  let keep: KeepReplaced | undefined;
  const keepReplaced = async ({ path, edited, article }: ReplacedFile) =>
    keep?.({ path: siteRelative(path), revision: edited ? undefined : article.revision });
  const opened = await openStore({ content, stateDir, log, onChange, watch, keepReplaced });
  const keepsReplaced = (keepIt: KeepReplaced) => {
    keep = keepIt;
  };
  return { opened, git: { ...backgroundPush(options, opened), keepsReplaced }, close: opened.close };
}

async function openWithCommits(options: LevelOptions): Promise<Level> {
  const { settings, content, stateDir, log, onChange, siteRelative, watch = true } = options;
  const { dir: siteDir, environment: env } = settings;
  await committableTree({ siteDir, content: plain(siteRelative('')), env }, 'commit');
  // The store is there before the plugins are.
  let commit: CommitNow | undefined;
  const commitAll = async (files: readonly StoredFile[], isEdit: boolean) => {
    if (commit === undefined)
      throw new PressmarkError('COMMIT_FAILED', 'git is not ready yet; send it again');
    const changes = files.map(({ path, text, article }) => ({ path: siteRelative(path), text, article }));
    await commit(changes, { isEdit });
  };
  const durability: Durability = (writes) => commitAll(writes, false);
  const commitEdits = commitsEdits(settings);
  const keepReplaced = async (file: ReplacedFile) => {
    if (file.edited && commitEdits) await commitAll([file], true);
    return undefined;
  };
  const opened = await openStore({ content, stateDir, log, onChange, watch, durability, keepReplaced });
  const commitsBefore = (commitNow: CommitNow) => {
    commit = commitNow;
  };
  return { opened, git: { ...backgroundPush(options, opened), commitsBefore }, close: opened.close };
}

/** Whether people's edits are committed. */
export function commitsEdits({ git }: Settings): boolean {
  return typeof git === 'object' && git.commitEdits === true;
}

/** Pushing after the answer, where the config wants it. */
function backgroundPush(
  { settings, content, stateDir, siteRelative, pushes: status }: LevelOptions,
  { store }: OpenStore,
): Level['git'] {
  if (!isPushed(settings)) return {};
  const prefix = plain(siteRelative(''));
  const onFiles = (paths: readonly string[]) => {
    const inside = paths.filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length));
    store.look(inside.filter((path) => isArticlePath(content, path)));
  };
  return { push: { ...pushConfig(settings), status, stateDir, staging: join(stateDir, STAGING), onFiles } };
}

async function openOnRemote(options: LevelOptions): Promise<Level> {
  const { settings, content, stateDir, log, onChange, siteRelative, pushes: status, watch = true } = options;
  const author = typeof settings.git === 'object' ? settings.git.author : undefined;
  let opened: OpenSharedStore | undefined;
  const files = await openSharedFiles({
    ...pushConfig(settings),
    siteDir: settings.dir,
    content: plain(siteRelative('')),
    stateDir,
    staging: join(stateDir, STAGING),
    status,
    ...(author !== undefined && { author }),
    env: settings.environment,
    log: log.child({ plugin: 'git' }),
    onFiles: (paths) => void opened?.store.look(paths),
  });
  try {
    opened = await openSharedStore({ content, stateDir, shared: files, log, onChange, watch });
  } catch (error) {
    await files.close();
    throw error;
  }
  const { close, store } = opened;
  return {
    opened,
    git: { shared: { files, siteRelative, shareEdit: store.shareEdit } },
    trouble: files.trouble,
    close: async () => {
      await close();
      await files.close();
    },
  };
}

/** A folder's path without `./` in front. */
function plain(folder: string): string {
  return folder.replace(/^(?:\.\/)+/, '');
}
