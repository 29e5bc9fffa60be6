import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Settings } from '../config/load.js';
import type { DeploySetting } from '../config/schema.js';
import { isLinkToOutput, readBuildState } from '../deploy/build/build-state.js';
import type { OutputSource } from '../deploy/deploy-queue.js';
import { type AwaitedArticle, openFacts, type SiteFacts } from '../deploy/facts.js';
import { meantFor } from '../deploy/live/page-problem.js';
import { deployPlugin } from '../deploy/plugin.js';
import { branchTarget } from '../deploy/targets/branch.js';
import { commandTarget } from '../deploy/targets/command.js';
import { folderTarget } from '../deploy/targets/folder.js';
import { hookTarget } from '../deploy/targets/hook.js';
import type { DeployTarget } from '../deploy/targets/target.js';
import { PressmarkError } from '../errors.js';
import { createLock, type Lock } from '../fs/lock.js';
import { findLockHelper } from '../fs/lock-helper.js';
import { commitAt, MOST_PATHS } from '../git/objects.js';
import { openRepository, type Repository } from '../git/repository.js';
import { statusOf } from '../git/status.js';
import type { ArticleReader } from '../host/articles/articles.js';
import type { PluginEntry } from '../host/plugin.js';
import type { Log } from '../log.js';
import { savedOutputDigest } from '../site/builder/state.js';
import { searchIndexVersion } from '../site/search.js';
import type { CodecInThread } from './content/article-codec.js';
import { foldersOf } from './content/folders.js';
import type { DurableStore } from './durability.js';

/** What the way from the build to the reader is made from. */
export interface DeployOptions {
  readonly settings: Settings;
  readonly articles: Pick<ArticleReader, 'get'>;
  readonly thread: Pick<CodecInThread, 'codec'>;
  /** Whether articles are committed: outside of a repository they are not. */
  readonly commits: boolean;
  readonly pushes: DurableStore['pushes'];
  /** Whether a job waits for articles to be live; asked when the plugins of the site are set up. */
  readonly isLiveAwaited: () => boolean;
  readonly log: Log;
}

/** The deploy of a site, and what was seen of it. */
export interface SiteDeploy {
  readonly entry: PluginEntry;
  facts(): SiteFacts;
  /** The names of the targets. */
  readonly targets: readonly string[];
}

/** How often it is looked whether everything has been pushed, in milliseconds. */
const PUSHES_MS = 250;

/** How long the lock is kept after a deploy, as taking it costs some milliseconds. */
const LOCK_IDLE_MS = 2_000;

/** How long the lock is waited for before it is looked whether the receiver stops, in milliseconds. */
const LOCK_WAIT_MS = 2_000;

/** A hook waits this long for commits: a commit may wait for a person. In milliseconds. */
const LONGEST_COMMIT_MS = 30_000;

/** A hook waits this long for pushes; then the deploy has failed and is tried again. In milliseconds. */
const LONGEST_PUSH_MS = 15 * 60_000;

/**
 * The plugin that brings the output of a site to the targets of `deploy`.
 *
 * @throws PressmarkError CONFIG_INVALID where a target cannot be as the config says.
 */
export async function openDeploy(options: DeployOptions): Promise<SiteDeploy> {
  const { settings, articles, thread, commits, pushes, isLiveAwaited, log } = options;
  const { siteUrl, liveCheck, durability } = settings;
  const { stateDir } = foldersOf(settings);
  const isBuiltHere = buildsSite(settings);
  const facts = openFacts(stateDir, log);
  const uncommitted = new Set<string>();
  const { targets, repository } = await openTargets(settings, (signal) =>
    pushed(pushes, uncommitted, signal),
  );
  const plugin = deployPlugin({
    targets,
    ...(targets.length > 0 && { lock: deployLock(stateDir) }),
    source: await sourceOf(settings, repository),
    stateDir,
    facts,
    isBuiltHere,
    isLiveAwaited,
    ...(commits && durability === 'disk' && { uncommitted }),
    ...(commits && { committed: (paths: readonly string[]) => committedFiles(settings, paths) }),
    ...(pushes !== undefined && { isPushed: pushedSince(pushes, settings) }),
    ...(liveCheck && {
      live: {
        siteUrl,
        pageProblem: thread.codec.pageProblem,
        expected: async ({ id, url }: AwaitedArticle) => {
          const article = await articles.get(id);
          if (article === undefined || article.url !== url) return undefined;
          const { jsonLd, contentHtml, extra } = article;
          const comments = [...new Set(await thread.codec.comments(contentHtml))];
          return { url, jsonLd, comments, ...meantFor(extra) };
        },
      },
    }),
  });
  const entry = { plugin, origin: 'deploy in the config', isFirstParty: true };
  return { entry, facts: () => facts.now, targets: targets.map(({ name }) => name) };
}

/**
 * The targets of the config, and the repository that some of them need. Nothing is written before a deploy.
 *
 * @param pushed resolves when everything is pushed.
 * @throws PressmarkError CONFIG_INVALID where a target cannot be as the config says.
 */
export async function openTargets(
  settings: Settings,
  pushed: (signal: AbortSignal) => Promise<void>,
): Promise<{ targets: DeployTarget[]; repository: Repository | undefined }> {
  const { deploy, dir, environment } = settings;
  const isRepositoryNeeded = deploy.some((setting) => 'branch' in setting || !buildsSite(settings));
  const opened = isRepositoryNeeded ? await openRepository(dir, environment) : undefined;
  const repository = opened === undefined || opened.kind === 'none' ? undefined : opened;
  const targets = deploy.map((setting) => targetOf(setting, { settings, repository, pushed }));
  return { targets, repository };
}

/** Those of a site's files that the last commit has as they are. */
export async function committedFiles(
  { dir, environment }: Pick<Settings, 'dir' | 'environment'>,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  const committed = new Set<string>();
  const repository = paths.length === 0 ? undefined : await openRepository(dir, environment);
  if (repository?.kind !== 'repository') return committed;
  const inRepository = (path: string) => `${repository.prefix}${path}`;
  for (let at = 0; at < paths.length; at += MOST_PATHS) {
    const some = paths.slice(at, at + MOST_PATHS); // of more, git does not say which it ignores
    const { files, ignored } = await statusOf(repository, some.map(inRepository));
    const isCommitted = (file: string) => !files.has(file) && !ignored.has(file);
    for (const path of some) if (isCommitted(inRepository(path))) committed.add(path);
  }
  return committed;
}

/** Whether everything is pushed. Before the first push of this process nobody knows, unless answers wait for it. */
function pushedSince(pushes: NonNullable<DurableStore['pushes']>, { durability }: Settings): () => boolean {
  const start = Date.now();
  return () => {
    const { waiting, lastPush, lastError, waitingFor } = pushes.now;
    const isKnown = durability === 'push' || Date.parse(lastPush ?? '') >= start;
    return waiting === 0 && lastError === null && waitingFor === null && isKnown;
  };
}

/** What deploys keep, below the state folder. */
function deployFolder(stateDir: string): string {
  return join(stateDir, 'deploy');
}

/** Keeps the receivers on one site's folder from deploying at the same time. */
function deployLock(stateDir: string): Lock {
  const directory = deployFolder(stateDir);
  fs.mkdirSync(directory, { recursive: true });
  return createLock({ directory, helper: findLockHelper(), idleMs: LOCK_IDLE_MS, timeoutMs: LOCK_WAIT_MS });
}

/** What builds the site here; null where nothing does. */
export function builderOf(settings: Settings): 'pressmark' | 'generator' | null {
  if (!buildsSite(settings)) return null;
  return settings.generator === 'plain' ? 'pressmark' : 'generator';
}

/** Whether the receiver builds the site, by itself or by the site's own generator. */
function buildsSite({ generator, buildsInBackground, site }: Settings): boolean {
  return generator === 'plain' ? site !== false : buildsInBackground;
}

/** What is deployed. */
async function sourceOf(settings: Settings, repository: Repository | undefined): Promise<OutputSource> {
  switch (builderOf(settings)) {
    case 'pressmark':
      return ownOutput(settings);
    case 'generator':
      return generatorOutput(settings);
    case null:
      return commitsAsSource(settings.dir, repository);
  }
}

/** The output of Pressmark's own builder. */
function ownOutput(settings: Settings): OutputSource {
  const { outputDir, stateDir } = foldersOf(settings);
  let built: string | undefined;
  const version = () => built ?? savedOutputDigest(stateDir);
  return {
    folder: () => (version() === '' ? undefined : folderAt(outputDir)),
    version: () => `${version()} ${searchIndexVersion(outputDir)}`,
    onChange: (output: string) => {
      built = output;
    },
  };
}

/** The output of the site's generator, if a receiver has built it: what a developer has built by hand was not checked. */
function generatorOutput(settings: Settings): OutputSource {
  const { outputDir, stateDir } = foldersOf(settings);
  const good = () => {
    const { good: last, isReplacing = false } = readBuildState(stateDir);
    return isReplacing && last?.staysFolder === true ? undefined : last; // it may have files of two builds
  };
  const isBuilt = () => good()?.staysFolder === true || isLinkToOutput(stateDir, outputDir);
  return {
    folder: () => (good() !== undefined && isBuilt() ? folderAt(outputDir) : undefined),
    version: () => good()?.output ?? '',
  };
}

function folderAt(path: string): string | undefined {
  return fs.existsSync(path) ? fs.realpathSync(path) : undefined;
}

/** Where the host builds the site from its repository, the commits stand for the output. */
async function commitsAsSource(dir: string, repository: Repository | undefined): Promise<OutputSource> {
  let head = repository && (await commitAt(repository, 'HEAD'));
  return {
    folder: () => dir,
    version: () => head ?? '',
    onChange: (commit: string) => {
      head = commit;
    },
  };
}

interface TargetSurroundings {
  readonly settings: Settings;
  readonly repository: Repository | undefined;
  pushed(signal: AbortSignal): Promise<void>;
}

function targetOf(
  setting: DeploySetting,
  { settings, repository, pushed }: TargetSurroundings,
): DeployTarget {
  const { dir: cwd, environment: env, deployHook, buildEveryMs: everyMs, git } = settings;
  if (!('hook' in setting) && !buildsSite(settings)) {
    const [kind = '', value = ''] = Object.entries(setting)[0] ?? [];
    throw new PressmarkError(
      'CONFIG_INVALID',
      `deploy has the ${kind} ${value}, and nothing builds the site here; set build to the command that builds it (and not build.background to false), or use { hook: true } and let the host build it`,
    );
  }
  if ('folder' in setting) return folderTarget(setting.folder);
  if ('command' in setting) {
    const timeoutMs = setting.timeLimit * 1_000;
    return commandTarget({ command: setting.command, cwd, env, timeoutMs });
  }
  if ('hook' in setting) {
    const { url, token } = deployHook;
    if (!buildsSite(settings) && (git === false || repository === undefined))
      throw new PressmarkError(
        'CONFIG_INVALID',
        'deploy has a hook, and the site is neither built nor committed here; set git to true, and run git init in the site’s folder',
      );
    if (url === undefined)
      throw new PressmarkError(
        'CONFIG_INVALID',
        'deploy has a hook, and PRESSMARK_DEPLOY_HOOK is not set; put the URL that your host shows into .env',
      );
    return hookTarget({ url, everyMs, pushed, ...(token !== undefined && { token }) });
  }
  if (repository === undefined)
    throw new PressmarkError(
      'CONFIG_INVALID',
      `deploy has the branch ${setting.branch}, and the site is not in a git work tree; run git init there, or use another target`,
    );
  const author = typeof git === 'object' ? git.author : undefined;
  const notesDir = deployFolder(foldersOf(settings).stateDir);
  return branchTarget({ ...setting, repository, env, notesDir, ...(author !== undefined && { author }) });
}

/** Resolves when what was delivered has been committed, as far as it can be, and everything is pushed. */
async function pushed(
  pushes: DurableStore['pushes'],
  uncommitted: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<void> {
  if (pushes === undefined) return;
  const began = performance.now();
  const ms = () => performance.now() - began;
  const isCommitted = () => uncommitted.size === 0 || ms() > LONGEST_COMMIT_MS;
  while (!isCommitted() || pushes.now.waiting > 0) {
    if (ms() > LONGEST_PUSH_MS)
      throw new PressmarkError(
        'DEPLOY_FAILED',
        `the hook waits for ${pushes.now.waiting} commits that have not been pushed; pressmark doctor says why`,
      );
    await setTimeout(PUSHES_MS, undefined, { signal });
  }
}
