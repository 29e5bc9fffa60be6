import fs from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../config/load.js';
import type { DeploySetting } from '../config/schema.js';
import { presentOutput } from '../deploy/build/build-state.js';
import { type AwaitedArticle, type Facts, openFacts, type SiteFacts } from '../deploy/facts.js';
import type { CommittedFiles } from '../deploy/live/awaited.js';
import { meantFor } from '../deploy/live/page-problem.js';
import { deployPlugin } from '../deploy/plugin.js';
import { branchTarget } from '../deploy/targets/branch.js';
import { commandTarget } from '../deploy/targets/command.js';
import { folderTarget } from '../deploy/targets/folder.js';
import { hookTarget } from '../deploy/targets/hook.js';
import type { DeployTarget, OutputSource } from '../deploy/targets/target.js';
import { PressmarkError } from '../errors.js';
import { createLock, type Lock } from '../fs/lock.js';
import { findLockHelper } from '../fs/lock-helper.js';
import { branchName, readBranch } from '../git/commit/head.js';
import { commitAt, MOST_PATHS } from '../git/objects.js';
import { remoteUrlOf } from '../git/push/remote.js';
import { openRepository, type Repository } from '../git/repository.js';
import { statusOf } from '../git/status.js';
import type { ArticleReader } from '../host/articles/articles.js';
import type { PluginEntry } from '../host/plugin.js';
import type { Log } from '../log.js';
import { savedOutputDigest } from '../site/builder/state.js';
import { searchIndexVersion } from '../site/search.js';
import { articlesInReview } from './articles/article-list.js';
import type { CodecInThread } from './content/article-codec.js';
import { builderOf } from './content/content.js';
import { foldersOf } from './content/folders.js';
import type { DurableStore } from './durable-store.js';
import { pushConfig, reviewConfig } from './git-settings.js';

/** What the deploy of a site needs. */
export interface DeployOptions {
  readonly settings: Settings;
  readonly articles: Pick<ArticleReader, 'get'>;
  readonly thread: Pick<CodecInThread, 'codec'>;
  /** Whether articles are committed. */
  readonly commits: boolean;
  readonly pushes: DurableStore['pushes'];
  /** Whether a job follows `article.live`; called once the site's plugins are set up. */
  readonly isLiveAwaited: () => boolean;
  readonly log: Log;
}

/** The deploy of a site, and its facts. */
export interface SiteDeploy {
  readonly entry: PluginEntry;
  facts(): SiteFacts;
  /** The names of the targets. */
  readonly targets: readonly string[];
}

/** How long the lock is kept after a deploy, in milliseconds, as taking it is slow. */
const LOCK_IDLE_MS = 2_000;

/** How long to wait for the lock before checking whether the receiver stops, in milliseconds. */
const LOCK_WAIT_MS = 2_000;

/**
 * Opens the plugin that deploys the output of a site to the targets of `deploy`.
 *
 * @throws PressmarkError CONFIG_INVALID where a target cannot be as the config says.
 */
export async function openDeploy(options: DeployOptions): Promise<SiteDeploy> {
  const { settings, articles, thread, commits, pushes, isLiveAwaited, log } = options;
  const { siteUrl, liveCheck } = settings;
  const { stateDir } = foldersOf(settings);
  const isPushed = pushes !== undefined;
  const isReviewed = reviewConfig(settings) !== undefined; // then a host builds what is merged
  const facts = openFacts(stateDir, log);
  forgetFormer(facts, settings, commits);
  const targets = await openTargets(settings, isPushed);
  const early = targetsBeforeReview(settings, targets);
  if (early.length > 0) log.warn({ targets: early }, 'articles are deployed before their review');
  const plugin = deployPlugin({
    targets,
    ...(targets.length > 0 && { lock: deployLock(stateDir) }),
    source: sourceOf(settings),
    stateDir,
    facts,
    isBuiltHere:
      builderOf(settings) !== null && !isReviewed && targets.every((target) => target.commits === undefined),
    hostHasIt: isReviewed ? 'git.merged' : isPushed ? 'git.pushed' : 'git.committed',
    isLiveAwaited,
    ...(commits && { committed: (paths: readonly string[]) => publishedFiles(settings, paths) }),
    ...(liveCheck && {
      live: {
        siteUrl,
        pageProblem: thread.codec.pageProblem,
        expected: async ({ id, url }: AwaitedArticle) => {
          const article = await articles.get(id);
          if (article?.url !== url || article.state !== 'live') return undefined;
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

/** Drops the facts of steps that the config no longer has, whose last error would stay in the status. */
function forgetFormer(facts: Facts, settings: Settings, commits: boolean): void {
  const { buildError, commitError, awaited } = facts.now;
  if (buildError !== undefined && builderOf(settings) === null) facts.note({ buildError: null });
  if (commitError !== undefined && !commits) facts.note({ commitError: null });
  if (!settings.liveCheck) for (const { path } of awaited) facts.note({ settled: path });
}

/**
 * The targets of the config. Nothing is written before the first deploy.
 *
 * @param isPushed whether commits are pushed from here.
 * @throws PressmarkError CONFIG_INVALID where a target cannot be as the config says.
 */
export async function openTargets(settings: Settings, isPushed: boolean): Promise<DeployTarget[]> {
  const { deploy, dir, durability, environment } = settings;
  const isRepositoryNeeded = deploy.some((setting) => 'branch' in setting || 'hook' in setting);
  const opened = isRepositoryNeeded ? await openRepository(dir, environment) : undefined;
  const repository = opened === undefined || opened.kind === 'none' ? undefined : opened;
  const isHeadThere = !isPushed || durability === 'push';
  if (repository !== undefined) await refuseSources(repository, settings);
  const commits = await commitsAsSource(dir, isHeadThere ? repository : undefined);
  return deploy.map((setting) => targetOf(setting, { settings, repository, commits }));
}

/** The names of targets that get articles before their review; empty without pull requests. */
export function targetsBeforeReview(settings: Settings, targets: readonly DeployTarget[]): string[] {
  if (reviewConfig(settings) === undefined) return [];
  return targets.filter(({ commits }) => commits === undefined).map(({ name }) => name);
}

/** Refuses to deploy to a branch that has the site's sources, as each deploy replaces all files of its branch. */
async function refuseSources(repository: Repository, settings: Settings): Promise<void> {
  const { remote, branch } = pushConfig(settings);
  const head = await readBranch(repository);
  const sources = [branch, head.kind === 'branch' ? branchName(head.ref) : undefined];
  for (const target of settings.deploy)
    if (
      'branch' in target &&
      sources.includes(target.branch) &&
      (await remoteUrlOf(repository, target.remote)) === (await remoteUrlOf(repository, remote))
    )
      throw new PressmarkError(
        'CONFIG_INVALID',
        `deploy has the branch ${target.branch}, which holds the site’s sources, and the built site would replace them; use a branch of its own, such as gh-pages`,
      );
}

/** The files, of those given, that equal the last commit: those that were merged, and those that wait for review. */
async function publishedFiles(settings: Settings, paths: readonly string[]): Promise<CommittedFiles> {
  const committed = await committedFiles(settings, paths);
  if (reviewConfig(settings) === undefined) return { published: committed, inReview: new Set() };
  const inReview = await articlesInReview(settings);
  if (inReview === undefined) return { published: new Set(), inReview: new Set() };
  return { published: new Set([...committed].filter((path) => !inReview.has(path))), inReview };
}

/** The files of a site that equal the last commit. */
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

/** The folder of deploys in the state folder. */
function deployFolder(stateDir: string): string {
  return join(stateDir, 'deploy');
}

/** Keeps the receivers on one site's folder from deploying at the same time. */
function deployLock(stateDir: string): Lock {
  const directory = deployFolder(stateDir);
  fs.mkdirSync(directory, { recursive: true });
  return createLock({ directory, helper: findLockHelper(), idleMs: LOCK_IDLE_MS, timeoutMs: LOCK_WAIT_MS });
}

/** What is deployed. */
function sourceOf(settings: Settings): OutputSource {
  switch (builderOf(settings)) {
    case 'pressmark':
      return ownOutput(settings);
    case 'generator':
      return generatorOutput(settings);
    case null:
      return { folder: () => undefined, version: () => '' };
  }
}

/** The output of Pressmark's own builder. */
function ownOutput(settings: Settings): OutputSource {
  const { outputDir, stateDir } = foldersOf(settings);
  let built: string | undefined;
  const version = () => built ?? savedOutputDigest(stateDir, outputDir);
  return {
    folder: () => (version() === '' ? undefined : folderAt(outputDir)),
    version: () => `${version()} ${searchIndexVersion(outputDir)}`,
    onChange: (output: string) => {
      built = output;
    },
  };
}

/** The output of the site's generator, if a receiver has built it; an output that was built by hand was not checked. */
function generatorOutput(settings: Settings): OutputSource {
  const { outputDir, stateDir } = foldersOf(settings);
  const present = () => presentOutput(stateDir, outputDir);
  return {
    folder: () => (present() === undefined ? undefined : folderAt(outputDir)),
    version: () => present() ?? '',
  };
}

function folderAt(path: string): string | undefined {
  return fs.existsSync(path) ? fs.realpathSync(path) : undefined;
}

/**
 * If a host builds the site from its repository, the pushed commits stand for the output.
 *
 * @param repository the repository whose last commit the host has; undefined if that is unknown before a push.
 */
async function commitsAsSource(dir: string, repository: Repository | undefined): Promise<OutputSource> {
  let last = repository && (await commitAt(repository, 'HEAD'));
  return {
    folder: () => (last === undefined ? undefined : dir),
    version: () => last ?? '',
    onChange: (commit: string) => {
      last = commit;
    },
  };
}

interface TargetContext {
  readonly settings: Settings;
  readonly repository: Repository | undefined;
  readonly commits: OutputSource;
}

function targetOf(setting: DeploySetting, { settings, repository, commits }: TargetContext): DeployTarget {
  const { dir: cwd, environment: env, deployHook, buildEveryMs: everyMs, git } = settings;
  if (!('hook' in setting) && builderOf(settings) === null) {
    const [kind = '', value = ''] = Object.entries(setting)[0] ?? [];
    throw new PressmarkError(
      'CONFIG_INVALID',
      `deploy has the ${kind} ${value}, and nothing builds the site here; set build to the command that builds it (and not build.background to false), or use { hook: true } and let the host build it`,
    );
  }
  const notesDir = deployFolder(foldersOf(settings).stateDir);
  if ('folder' in setting) return folderTarget(setting.folder);
  if ('command' in setting) {
    const timeoutMs = setting.timeLimit * 1_000;
    return commandTarget({ command: setting.command, cwd, env, notesDir, timeoutMs });
  }
  if ('hook' in setting) {
    const { url, token } = deployHook;
    if (git === false || repository === undefined)
      throw new PressmarkError(
        'CONFIG_INVALID',
        'deploy has a hook, from whose call a host builds the repository, and nothing is committed here; set git to true, and run git init in the site’s folder',
      );
    if (url === undefined)
      throw new PressmarkError(
        'CONFIG_INVALID',
        'deploy has a hook, and PRESSMARK_DEPLOY_HOOK is not set; put the URL that your host shows into .env',
      );
    return hookTarget({ url, everyMs, commits, ...(token !== undefined && { token }) });
  }
  if (repository === undefined)
    throw new PressmarkError(
      'CONFIG_INVALID',
      `deploy has the branch ${setting.branch}, and the site is not in a git work tree; run git init there, or use another target`,
    );
  const author = typeof git === 'object' ? git.author : undefined;
  return branchTarget({ ...setting, repository, env, notesDir, ...(author !== undefined && { author }) });
}
