import { readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { isOfPerson } from '../article/own-revisions.js';
import type { StoredArticle } from '../article/stored-article.js';
import type { Settings } from '../config/load.js';
import { messageOf, PressmarkError } from '../errors.js';
import { createLock, type Lock } from '../fs/lock.js';
import { findLockHelper } from '../fs/lock-helper.js';
import { openArticleCommits, type StartPush } from '../git/commit/article-commits.js';
import { type Editors, openEditors } from '../git/commit/editors.js';
import { createKeepText } from '../git/commit/replaced-texts.js';
import { checkContentFolder, committableTree } from '../git/content-folder.js';
import { deletedInHistory } from '../git/history.js';
import { pushInBackground } from '../git/push/background-push.js';
import { createPushStatus, type PushStatusKeeper } from '../git/push/push-status.js';
import { FETCHED_REF } from '../git/push/remote.js';
import { openRemoteWriter, type RemoteWriter } from '../git/push/remote-writer.js';
import { openRepository } from '../git/repository.js';
import type { ArticleReader, ListedArticle } from '../host/articles/articles.js';
import type { Hooks } from '../host/hooks/hooks.js';
import type { Plugin } from '../host/plugin.js';
import { type Log, REDACTION } from '../log.js';
import { type AssetStore, createAssets } from '../store/assets.js';
import { createCatalog } from '../store/catalog/catalog.js';
import { type ContentFolder, isMalformed } from '../store/catalog/content-folder.js';
import { type ContentChange, isArticlePath } from '../store/catalog/scan.js';
import { KNOWN_IDS, type KnownId, type KnownIds, openKnownIds } from '../store/known-ids.js';
import { type OpenStore, openArticles, type WriterHost } from '../store/open-articles.js';
import type { Found } from '../store/reading.js';
import type { ReplacedFile, Writer } from '../store/write/article-files.js';
import { STAGING } from '../store/write/recover.js';
import { listedArticle } from './articles/host-articles.js';
import { staticFolderOf } from './content/content.js';
import { contentPrefix, foldersOf } from './content/folders.js';
import { checkGitSettings, isPushed, PUSH_STATUS, pushConfig, reviewConfig } from './git-settings.js';

/** An open store, with the parts that depend on its durability level. */
export interface DurableStore extends OpenStore {
  /** The articles, for plugins. */
  readonly articles: ArticleReader;
  /** The images and other files that articles refer to. */
  readonly assets: AssetStore;
  /** Whether articles are committed, by the git plugin or before the answer. */
  readonly commits: boolean;
  /** The plugin that commits or pushes after the answer; undefined if nothing is left to do then. */
  readonly git: Plugin | undefined;
  /** The reason why nothing can be stored now, apart from the disk. */
  readonly trouble?: () => string | undefined;
  /** The state of pushes; undefined if nothing is pushed. */
  readonly pushes: PushStatusKeeper | undefined;
  /** The ids of all articles that were ever stored. */
  readonly knownIds: KnownIds;
  /** Commits that a person has removed or restored a file; undefined if nothing is committed. */
  readonly commitTrash?: (path: string) => void;
  /** The people who have changed articles in the admin. */
  readonly editors: Editors;
}

export interface DurableStoreOptions {
  readonly settings: Settings;
  readonly content: ContentFolder;
  readonly log: Log;
  /** The hooks of the plugin host: plugins filter commit messages. */
  readonly hooks: Hooks;
  readonly onChange: (changes: readonly ContentChange[]) => void;
  /** Whether to watch for people's edits. @default true */
  readonly watch?: boolean;
}

interface LevelOptions extends DurableStoreOptions {
  readonly stateDir: string;
  /** See `contentPrefix`. */
  readonly prefix: string;
  readonly pushes: PushStatusKeeper;
  readonly assets: AssetStore;
  readonly editors: Editors;
}

type Level = Omit<DurableStore, 'articles' | 'assets' | 'pushes' | 'knownIds' | 'editors'>;

/** The file with the authors of revisions from the admin, below the state folder. */
const EDITORS = 'editors.jsonl';

/**
 * Opens the store at the durability level of the config: first git, then the store on top of it.
 *
 * @throws PressmarkError CONFIG_INVALID if the level is not possible; what `openArticles` throws.
 */
export async function openDurableStore(options: DurableStoreOptions): Promise<DurableStore> {
  const { settings } = options;
  checkGitSettings(settings);
  const { stateDir } = foldersOf(settings);
  const pushes = createPushStatus(join(stateDir, PUSH_STATUS));
  const open = settings.durability === 'push' ? openOnRemote : openWithCommits;
  let knownIds: KnownIds | undefined;
  const onChange = (changes: readonly ContentChange[]) => {
    knownIds?.noteChanges(changes); // what has changed before it is opened is in the catalog by then
    options.onChange(changes);
  };
  const assets = createAssets({
    siteDir: settings.dir,
    folder: staticFolderOf(settings),
    siteUrl: settings.siteUrl,
    staging: join(stateDir, STAGING),
    codec: options.content.codec,
  });
  const prefix = contentPrefix(settings);
  const editors = openEditors(join(stateDir, EDITORS));
  const level = await open({ ...options, onChange, stateDir, prefix, pushes, assets, editors });
  const close = async () => {
    await level.close();
    await pushes.close();
  };
  const { store, catalog } = level;
  const earlier = () => fromHistory(options, (id) => catalog.byId(id).length > 0);
  knownIds = await openKnownIds({
    path: join(stateDir, KNOWN_IDS),
    catalog,
    log: options.log,
    isShared: settings.durability === 'push',
    earlier,
  }).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const articles: ArticleReader = {
    get: (id) => articleOf(store.get(id), prefix),
    find: (url) => articleOf(store.find(url), prefix),
    ids: catalog.ids,
  };
  return {
    ...level,
    articles,
    assets,
    knownIds,
    editors,
    pushes: isPushed(settings) ? pushes : undefined,
    close,
  };
}

/**
 * The deleted articles in git's history, which a fresh clone without a state folder cannot know otherwise; undefined if the
 * search failed.
 */
async function fromHistory(
  options: DurableStoreOptions,
  isThere: (id: string) => boolean,
): Promise<KnownId[] | undefined> {
  const { settings, log } = options;
  if (settings.git === false) return [];
  const repository = await openRepository(settings.dir, settings.environment);
  if (repository.kind === 'none') return [];
  try {
    const place = await checkContentFolder(repository, contentPrefix(settings));
    if (place.kind === 'refused') return [];
    return await deletedInHistory({ place, decode: decodeIn(options), isThere });
  } catch (error) {
    log.warn(
      { reason: messageOf(error) },
      'git’s history could not be searched for deleted articles; until the next start, a redelivery may bring one back',
    );
    return undefined;
  }
}

/** The result of a search; undefined if there is no article, more than one, or an unreadable one. */
async function articleOf(
  looking: Promise<Found | undefined>,
  prefix: string,
): Promise<ListedArticle | undefined> {
  try {
    const found = await looking;
    return found && listedArticle(`${prefix}${found.path}`, found);
  } catch (error) {
    if (error instanceof PressmarkError && error.status === 404) return undefined;
    throw error;
  }
}

/** Levels `disk` and `commit`: the work tree is the store. */
async function openWithCommits(options: LevelOptions): Promise<Level> {
  const { settings, content, stateDir, log, hooks, onChange, prefix, assets, watch = true } = options;
  const catalog = createCatalog();
  const { dir: siteDir, environment: env, durability } = settings;
  const isBeforeAnswer = durability === 'commit';
  if (isBeforeAnswer) await committableTree({ siteDir, content: prefix, env }, 'commit');
  const commits =
    settings.git === false
      ? undefined
      : await openArticleCommits({
          ...(typeof settings.git === 'object' && settings.git),
          siteDir,
          content: prefix,
          env,
          isBeforeAnswer,
          ...(isPushed(settings) && { upstream: FETCHED_REF }),
          isArticle: (path) => isArticlePath(content, path),
          assetsOf: assets.filesOf,
          authorOf: options.editors.of,
          hooks,
          log: log.child({ plugin: 'git' }, { redact: REDACTION }),
          pathsOf: (id) => catalog.byId(id).map(({ path }) => `${prefix}${path}`),
          decode: decodeIn(options),
          stateDir,
        });
  const writerOver =
    commits?.writerOver ?? ((disk: Writer): Writer => ({ ...disk, beforeReplace: keepEdits(options) }));
  const openWriter = async ({ disk }: WriterHost): Promise<Writer> => writerOver(disk);
  const opened = await openArticles({ content, catalog, stateDir, log, onChange, watch, openWriter });
  if (commits === undefined) return { ...opened, commits: false, git: undefined };
  // A second lock on the same file: with the store's own lock, this process could store while git writes files.
  const followLock = createLock({ directory: stateDir, helper: findLockHelper(), idleMs: 0 });
  return {
    ...opened,
    commits: true,
    commitTrash: commits.commitTrash,
    git: commits.makePlugin(backgroundPush(options, opened, followLock)),
    close: async () => {
      await opened.close();
      followLock.close();
    },
  };
}

/** Keeps a text that a person has written, or replaces, as a file, because no commit can hold it. */
function keepEdits({ content, stateDir, prefix, log }: LevelOptions) {
  const keepText = createKeepText(stateDir, log);
  return async ({ path, edited, article, by }: ReplacedFile): Promise<void> => {
    const why = 'nothing is committed on this site';
    const isPersons = edited || isOfPerson(article.revision) || isOfPerson(by);
    if (isPersons) await keepText(`${prefix}${path}`, await readFile(join(content.root, path)), why);
  };
}

/**
 * Returns a function that decodes the text of a file as an article. The path is relative to the site's folder. The result is
 * undefined if the file is not an article; for most generators any text could be one, so the path decides as well.
 */
function decodeIn({ settings, content }: Pick<DurableStoreOptions, 'settings' | 'content'>) {
  return async (path: string, text: string): Promise<StoredArticle | undefined> => {
    const below = relative(content.root, join(settings.dir, path)).split(sep).join('/');
    if (!isArticlePath(content, below)) return undefined;
    try {
      return await content.codec.decode(text, below);
    } catch (error) {
      if (isMalformed(error)) return undefined;
      throw error;
    }
  };
}

/** Pushing after the answer, if the config says so. */
function backgroundPush(options: LevelOptions, { store }: OpenStore, lock: Lock): StartPush | undefined {
  const { settings, content, pushes: status } = options;
  if (!isPushed(settings)) return undefined;
  const review = reviewConfig(settings);
  const push = {
    ...pushConfig(settings),
    status,
    whileLocked: lock.run,
    ...(review !== undefined && { review }),
    onFiles: (paths: readonly string[]) =>
      void store.readAgain(paths.filter((path) => isArticlePath(content, path))),
  };
  const site = {
    ...(typeof settings.git === 'object' && settings.git),
    env: settings.environment,
    decode: decodeIn(options),
  };
  return (host, place) => pushInBackground(host, push, { ...site, place });
}

/** Level `push`: a file is stored when the remote has it. */
async function openOnRemote(options: LevelOptions): Promise<Level> {
  const { settings, content, stateDir, hooks, onChange, prefix, watch = true, pushes: status } = options;
  let writer: RemoteWriter | undefined;
  const openWriter = async (host: WriterHost): Promise<RemoteWriter> => {
    writer = await openRemoteWriter({
      ...pushConfig(settings),
      ...(typeof settings.git === 'object' && settings.git),
      ...host,
      siteDir: settings.dir,
      content: prefix,
      status,
      env: settings.environment,
      log: options.log.child({ plugin: 'git' }, { redact: REDACTION }),
      hooks,
      assetsOf: options.assets.filesOf,
      authorOf: options.editors.of,
    });
    return writer;
  };
  const opened = await openArticles({ content, stateDir, log: options.log, watch, onChange, openWriter });
  return { ...opened, commits: true, git: undefined, trouble: () => writer?.trouble() };
}
