import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Settings } from '../config/load.js';
import type { DeploySetting } from '../config/schema.js';
import { itemComments } from '../contract/service.js';
import { isLinkToOutput, readBuildState } from '../deploy/build/build-state.js';
import { useOutput } from '../deploy/build/outputs-in-use.js';
import { runBuild } from '../deploy/build/run-build.js';
import type { OutputSource } from '../deploy/deploy-queue.js';
import { deployPlugin } from '../deploy/plugin.js';
import { createStages, type Stage, type Stages } from '../deploy/stages.js';
import { branchTarget } from '../deploy/targets/branch.js';
import { commandTarget } from '../deploy/targets/command.js';
import { folderTarget } from '../deploy/targets/folder.js';
import { hookTarget } from '../deploy/targets/hook.js';
import type { DeployTarget } from '../deploy/targets/target.js';
import { PressmarkError } from '../errors.js';
import { createLock, type Lock } from '../fs/lock.js';
import { findLockHelper } from '../fs/lock-helper.js';
import { commitAt } from '../git/objects.js';
import { openRepository, type Repository } from '../git/repository.js';
import type { ArticleReader, PluginEntry } from '../host/plugins.js';
import type { Log } from '../log.js';
import { savedOutputDigest } from '../site/builder/state.js';
import { searchIndexVersion } from '../site/search.js';
import { foldersOf } from './content/folders.js';
import { type DurableStore, isPushed } from './durability.js';

/** What the way from the build to the reader is made from. */
export interface DeployOptions {
  /** Whether articles are committed: outside of a repository they are not. */
  readonly commits: boolean;
  readonly settings: Settings;
  readonly articles: Pick<ArticleReader, 'get'>;
  readonly pushes: DurableStore['pushes'];
  readonly log: Log;
}

/** The deploy of a site, and how each of its articles stands. */
export interface SiteDeploy {
  readonly entry: PluginEntry;
  readonly stages: Stages;
}

/** The stages that an answer waits for. */
const ANSWERED_AFTER: Readonly<Record<Settings['durability'], readonly Stage[]>> = {
  disk: [],
  commit: ['committed'],
  push: ['committed', 'pushed'],
};

/** How often it is looked whether everything has been pushed, in milliseconds. */
const PUSHES_MS = 250;

/** How long the lock is kept after a deploy, as taking it costs some milliseconds. */
const LOCK_IDLE_MS = 2_000;

/** A hook waits this long for commits: one that is parked is not pushed. In milliseconds. */
const LONGEST_COMMIT_MS = 30_000;

/** A hook waits this long for pushes; then the deploy has failed and is tried again. In milliseconds. */
const LONGEST_PUSH_MS = 15 * 60_000;

/**
 * The plugin that brings the output of a site to the targets of `deploy`.
 *
 * @throws PressmarkError CONFIG_INVALID where a target cannot be as the config says.
 */
export async function openDeploy({
  settings,
  articles,
  commits,
  pushes,
  log,
}: DeployOptions): Promise<SiteDeploy> {
  const { siteUrl, liveCheck, dir } = settings;
  const { stateDir } = foldersOf(settings);
  const isBuiltHere = buildsSite(settings);
  const stages = createStages(stagesOf(settings, commits), stateDir, log);
  await noteCommitted(settings, stages);
  const { targets, repository } = await openTargets(settings, (signal) => pushed(pushes, stages, signal));
  const plugin = deployPlugin({
    targets,
    ...(targets.length > 0 && { lock: deployLock(stateDir) }),
    source: isBuiltHere ? sourceOf(settings) : await commitsAsSource(dir, repository),
    stateDir,
    stages,
    isBuiltHere,
    answeredAfter: ANSWERED_AFTER[settings.durability],
    ...(pushes !== undefined && { pushes: () => pushes.now }),
    ...(liveCheck && {
      live: {
        siteUrl,
        expected: async ({ id, url }) => {
          const article = await articles.get(id);
          if (article === undefined || article.url !== url) return undefined;
          const { jsonLd, contentHtml } = article;
          return { url, jsonLd, comments: [...new Set(itemComments(contentHtml))] };
        },
      },
    }),
  });
  return { entry: { plugin, origin: 'deploy in the config', isFirstParty: true }, stages };
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
  const { stateDir } = foldersOf(settings);
  const isRepositoryNeeded = deploy.some((setting) => 'branch' in setting || !buildsSite(settings));
  const opened = isRepositoryNeeded ? await openRepository(dir, environment) : undefined;
  const repository = opened === undefined || opened.kind === 'none' ? undefined : opened;
  const targets = deploy.map((setting) => targetOf(setting, { settings, stateDir, repository, pushed }));
  return { targets, repository };
}

/** Marks what a former process has committed without noting it: the articles that git has as they are on the disk. */
async function noteCommitted(settings: Settings, stages: Stages): Promise<void> {
  const waiting = stages.waitingFor('committed', 'received');
  if (settings.git === false || waiting.length === 0) return;
  const { dir, environment, content } = settings;
  const repository = await openRepository(dir, environment);
  if (repository.kind !== 'repository') return;
  const pathsOf = async (...args: string[]) =>
    new Set((await repository.git([...args, '--', join(dir, content)])).stdout.split('\0'));
  const tracked = await pathsOf('ls-files', '-z', '--full-name');
  const status = await pathsOf('status', '--porcelain', '-z', '--no-renames', '-uno');
  const changed = new Set([...status].map((line) => line.slice('XY '.length)));
  const isCommitted = (path: string) => tracked.has(path) && !changed.has(path);
  stages.reached(
    'committed',
    waiting.filter(({ path }) => isCommitted(`${repository.prefix}${path}`)),
  );
}

/** Keeps the receivers on one site's folder from deploying at the same time. */
function deployLock(stateDir: string): Lock {
  const directory = join(stateDir, 'deploy');
  fs.mkdirSync(directory, { recursive: true });
  return createLock({ directory, helper: findLockHelper(), idleMs: LOCK_IDLE_MS });
}

/** Whether the receiver builds the site, by itself or by the site's own generator. */
function buildsSite({ generator, buildsInBackground, site }: Settings): boolean {
  return generator === 'plain' ? site !== false : buildsInBackground;
}

/** The stages that a site has. */
function stagesOf(settings: Settings, commits: boolean): Stage[] {
  const { deploy, liveCheck } = settings;
  return [
    ...(commits ? (['committed'] as const) : []),
    ...(isPushed(settings) ? (['pushed'] as const) : []),
    ...(buildsSite(settings) ? (['built'] as const) : []),
    ...(deploy.length > 0 ? (['deployed'] as const) : []),
    ...(liveCheck ? (['live'] as const) : []),
  ];
}

/** The output that is deployed. */
function sourceOf(settings: Settings): OutputSource {
  const { outputDir, stateDir } = foldersOf(settings);
  let built: string | undefined;
  const version = () => built ?? savedOutputDigest(stateDir);
  /** Whether a receiver has built what is there; what a developer has built by hand was not checked. */
  const isBuilt = () => {
    if (settings.generator === 'plain') return version() !== undefined;
    const { good } = readBuildState(stateDir);
    return good !== undefined && (good.staysFolder || isLinkToOutput(stateDir, outputDir));
  };
  return {
    ...(settings.generator !== 'plain' && { use: (folder: string) => useOutput(stateDir, folder) }),
    folder: () => (isBuilt() && fs.existsSync(outputDir) ? fs.realpathSync(outputDir) : undefined),
    version: () => {
      if (settings.generator !== 'plain') return readBuildState(stateDir).good?.output ?? '';
      return `${version() ?? ''} ${searchIndexVersion(outputDir)}`;
    },
    onBuilt: (output: string) => {
      built = output;
    },
  };
}

/** Where the host builds the site from its repository, the commits stand for the output. */
async function commitsAsSource(dir: string, repository: Repository | undefined): Promise<OutputSource> {
  const head = repository && (await commitAt(repository, 'HEAD'));
  return { folder: () => dir, version: () => head ?? '' };
}

interface TargetSurroundings {
  readonly settings: Settings;
  readonly stateDir: string;
  readonly repository: Repository | undefined;
  pushed(signal: AbortSignal): Promise<void>;
}

function targetOf(
  setting: DeploySetting,
  { settings, stateDir, repository, pushed }: TargetSurroundings,
): DeployTarget {
  const { dir: cwd, environment: env, deployHook, git } = settings;
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
    return commandTarget({ command: setting.command, cwd, env, stateDir, timeoutMs, runBuild });
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
    return hookTarget({ url, pushed, ...(token !== undefined && { token }) });
  }
  if (repository === undefined)
    throw new PressmarkError(
      'CONFIG_INVALID',
      `deploy has the branch ${setting.branch}, and the site is not in a git work tree; run git init there, or use another target`,
    );
  const author = typeof git === 'object' ? git.author : undefined;
  return branchTarget({ ...setting, repository, env, stateDir, ...(author !== undefined && { author }) });
}

/** Resolves when what was received has been committed, as far as it can be, and everything is pushed. */
async function pushed(pushes: DurableStore['pushes'], stages: Stages, signal: AbortSignal): Promise<void> {
  if (pushes === undefined) return;
  const began = performance.now();
  const ms = () => performance.now() - began;
  const isCommitted = () => (stages.status().committed?.behind ?? 0) === 0 || ms() > LONGEST_COMMIT_MS;
  while (!isCommitted() || pushes.now.waiting > 0) {
    if (ms() > LONGEST_PUSH_MS)
      throw new PressmarkError(
        'DEPLOY_FAILED',
        `the hook waits for ${pushes.now.waiting} commits that have not been pushed; pressmark doctor says why`,
      );
    await setTimeout(PUSHES_MS, undefined, { signal });
  }
}
