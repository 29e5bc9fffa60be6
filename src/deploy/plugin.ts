import { hash } from 'node:crypto';
import { messageOf } from '../errors.js';
import type { Lock } from '../fs/lock.js';
import { definePlugin, type Plugin } from '../host/plugins.js';
import { readBuildState } from './build/build-state.js';
import { createDeployQueue, type DeployPauses, type OutputSource } from './deploy-queue.js';
import { awaitLive, type LiveCheckOptions } from './live/live-check.js';
import type { ExpectedPage } from './live/page-problem.js';
import type { Stage, Stages, TrackedChange } from './stages.js';
import type { DeployTarget } from './targets/target.js';

export interface DeployPluginOptions {
  readonly targets: readonly DeployTarget[];
  readonly source: OutputSource;
  readonly stateDir: string;
  readonly stages: Stages;
  /** Whether the site is built here. Where its host builds it, a deploy follows each commit instead of each build. */
  readonly isBuiltHere: boolean;
  /** The stages that a change has reached when it is answered, besides `received`: those that `durability` waits for. */
  readonly answeredAfter: readonly Stage[];
  /** The check that articles are live; undefined where it is not wanted. */
  readonly live?: LiveCheckOptions & {
    /** What the page of an article should have; undefined where the article is gone. */
    expected(change: TrackedChange): Promise<ExpectedPage | undefined>;
  };
  /** How many commits wait to be pushed, and what went wrong last; undefined where nothing is pushed. */
  pushes?(): {
    readonly waiting: number;
    readonly lastError: string | null;
    /** When a push succeeded last, ISO 8601; null where none has. */
    readonly lastPush: string | null;
    /** What a person has to do first; null where nothing is. */
    readonly waitingFor: string | null;
  };
  /** Held during each deploy. It is closed with the plugin. */
  readonly lock?: Lock;
  readonly pauses?: DeployPauses;
}

/** How often it is looked whether what was committed has been pushed, in milliseconds. */
const PUSHES_MS = 250;

/** How long commits gather before a host that builds the site is asked to, in milliseconds. */
const COMMITS_MS = 200;

/** So many pages are looked at at a time. */
const CHECKED_AT_A_TIME = 4;

/**
 * Deploys what was built, checks that articles are live, and tracks how far each article has come.
 * A delivery never waits for any of it.
 */
export function deployPlugin(options: DeployPluginOptions): Plugin {
  const { targets, source: output, stateDir, stages, isBuiltHere, live, lock, pauses } = options;
  return definePlugin({
    name: 'deploy',
    setup(host) {
      if (host.role !== 'receiver') return;
      const { log } = host;
      const startedAt = Date.now();
      const stop = new AbortController();
      /** The changes in each version, noted when its deploy begins: by target, then by version. */
      const includedIn = new Map(targets.map(({ name }) => [name, new Map<string, TrackedChange[]>()]));
      /** The names of the targets that have received a change. */
      const targetsWith = new WeakMap<TrackedChange, Set<string>>();
      const deployErrors = new Map<string, string>();
      /** Why pages are not live, by URL. */
      const liveErrors = new Map<string, string>();
      /** The stage after which a change is in what the targets get. */
      const lastStageHere = isBuiltHere ? 'built' : 'committed';
      /** What a former process has left on its way. It is built when the first build of this one is done. */
      const restored = new Set(stages.waitingFor('built', 'received'));
      let hasNewCommit = false;
      let commitTimer: NodeJS.Timeout | undefined;
      const checks = createChecks();
      const source: OutputSource = {
        ...output,
        version: () => (isBuiltHere ? output.version() : (newestCommit ?? output.version())),
      };
      let newestCommit: string | undefined;

      const queue = createDeployQueue({
        targets,
        source,
        stateDir,
        log,
        onBegin: (target, version) => {
          const versions = includedIn.get(target);
          versions?.delete(version); // it becomes the last one
          versions?.set(version, stages.waitingFor('deployed', lastStageHere));
        },
        onDeployed: (target, version) => {
          const { outcome = 'site deployed' } = targets.find(({ name }) => name === target) ?? {};
          log.info({ target }, outcome);
          void host.doAction('deploy.done', { target });
          const versions = includedIn.get(target);
          const included = versions?.get(version) ?? [];
          for (const earlier of versions?.keys() ?? []) {
            versions?.delete(earlier);
            if (earlier === version) break;
          }
          setDeployError(target, undefined);
          deployed(target, included);
          deployedBefore();
        },
        onFailed: (target, error) => {
          setDeployError(target, error);
          void host.doAction('deploy.failed', { target, error });
        },
        ...(lock !== undefined && { lock }),
        ...(pauses !== undefined && { pauses }),
      });

      function setDeployError(target: string, error: string | undefined): void {
        if (error === undefined) deployErrors.delete(target);
        else deployErrors.set(target, `${target}: ${error}`);
        stages.setError('deployed', [...deployErrors.values()].at(-1));
      }

      /** A target has these changes. They are deployed when all targets have them. */
      function deployed(target: string, changes: readonly TrackedChange[]): void {
        for (const change of changes)
          targetsWith.set(change, (targetsWith.get(change) ?? new Set()).add(target));
        const reachedNow = stages.reached(
          'deployed',
          stages
            .waitingFor('deployed', 'received')
            .filter((change) => targetsWith.get(change)?.size === targets.length),
        );
        for (const change of reachedNow) checks.add(change);
        // A page that was not live at its last check may be live now.
        if (liveErrors.size > 0)
          for (const change of stages.waitingFor('live', 'deployed'))
            if (liveErrors.has(change.url)) checks.add(change);
      }

      /** Marks what a target has received already: after a restart, or after a build that changed no file. */
      function deployedBefore(): void {
        if (source.folder() === undefined) return;
        const version = source.version();
        for (const [target, state] of Object.entries(queue.state()))
          if (state.deployed?.version === version)
            deployed(target, stages.waitingFor('deployed', lastStageHere));
      }

      /** Looks at the pages of articles, a few at a time. */
      function createChecks() {
        const waiting: TrackedChange[] = [];
        const underWay = new Set<TrackedChange>();
        let running = 0;
        const next = () => {
          const change = running < CHECKED_AT_A_TIME ? waiting.shift() : undefined;
          if (change === undefined || stop.signal.aborted) return;
          running++;
          void check(change)
            .catch((error: unknown) => {
              if (!stop.signal.aborted)
                log.error({ reason: messageOf(error) }, 'a page could not be checked');
            })
            .finally(() => {
              running--;
              underWay.delete(change);
              next();
            });
          next();
        };
        return {
          add(change: TrackedChange) {
            if (live === undefined || underWay.has(change)) return;
            underWay.add(change);
            waiting.push(change);
            next();
          },
        };
      }

      async function check(change: TrackedChange): Promise<void> {
        const page = await live?.expected(change);
        if (live === undefined || page === undefined) {
          setLiveError(change.url, undefined);
          stages.reached('live', [change]);
          return;
        }
        const result = await awaitLive(page, live, stop.signal);
        const { id, url, path, answeredAt } = change;
        if (result.kind === 'live') {
          const ms = Date.now() - answeredAt;
          setLiveError(url, undefined);
          if (stages.reached('live', [change]).length === 0) return; // a newer text has replaced it
          log.info({ id, url, ms }, 'article live');
          void host.doAction('article.live', { id, url, path, ms });
        } else if (stages.waitingFor('live', 'received').includes(change)) {
          log.warn({ id, url, found: result.found }, 'an article is not live');
          setLiveError(url, result.found);
        }
      }

      function setLiveError(url: string, found: string | undefined): void {
        if (found === undefined) liveErrors.delete(url);
        else liveErrors.set(url, `${url}: ${found}`);
        stages.setError('live', [...liveErrors.values()].at(-1));
      }

      /** @param since the id of the output before these changes; undefined if no other receiver can have changed it. */
      function built(
        files: readonly string[],
        matches: (change: TrackedChange) => boolean,
        since?: string,
      ): void {
        stages.setError('built', undefined);
        const excluded = restored.size > 0 ? readBuildState(stateDir).excluded.map(({ path }) => path) : [];
        const changes = stages.reached(
          'built',
          stages
            .waitingFor('built', 'received')
            .filter((change) => matches(change) || (restored.has(change) && !excluded.includes(change.path))),
        );
        restored.clear();
        if (targets.length === 0) for (const change of changes) checks.add(change);
        else if (files.length > 0) queue.changed(files, since);
        // A build of which a crash has kept the end from everybody.
        else if (since !== undefined && isBehind()) queue.changed(undefined);
        else deployedBefore();
      }

      /** Whether a target has another version than the output's. */
      function isBehind(): boolean {
        const version = source.version();
        return Object.values(queue.state()).some(({ deployed }) => deployed?.version !== version);
      }

      for (const name of ['article.published', 'article.updated'] as const)
        host.addAction(name, ({ article: { id, url }, path, text }) => {
          const digest = hash('sha256', text, 'base64url');
          const change = { path, id, url, digest, answeredAt: Date.now() };
          stages.received(change);
          for (const stage of options.answeredAfter) reached(stage, [change]);
          if (options.answeredAfter.length === 0) return;
          lookAtPushes();
          if (!isBuiltHere) commitTimer ??= setTimeout(deployCommits, COMMITS_MS);
        });
      host.addAction('article.removed', ({ path, url }) => {
        stages.forget(path);
        setLiveError(url, undefined);
      });
      let pushTimer: NodeJS.Timeout | undefined;
      const lookAtPushes = () => {
        clearTimeout(pushTimer);
        const status = options.pushes?.();
        if (status === undefined) return;
        const error =
          status.lastError ?? (status.waitingFor === null ? undefined : `waits for ${status.waitingFor}`);
        stages.setError('pushed', error);
        const unpushed = stages.waitingFor('pushed', 'committed');
        // Before the first push of this process, nobody knows what the remote has, unless answers wait for it.
        const isKnown =
          options.answeredAfter.includes('pushed') || Date.parse(status.lastPush ?? '') >= startedAt;
        if (status.waiting === 0 && error === undefined && isKnown) reached('pushed', unpushed);
        else if (unpushed.length > 0 || error !== undefined) pushTimer = setTimeout(lookAtPushes, PUSHES_MS);
      };
      /** Changes have been committed or pushed. A host that builds what is pushed has them then. */
      function reached(stage: Stage, changes: readonly TrackedChange[]): void {
        const reachedNow = stages.reached(stage, changes);
        if (stage === 'pushed' && !isBuiltHere && targets.length === 0)
          for (const change of reachedNow) checks.add(change);
      }
      host.addAction('git.committed', ({ path, commit }) => {
        const change = stages.at(path);
        if (change !== undefined) reached('committed', [change]);
        lookAtPushes();
        newestCommit = commit;
        hasNewCommit = true;
        if (!isBuiltHere) commitTimer ??= setTimeout(deployCommits, COMMITS_MS);
      });
      /** A commit is reported before the answer that waited for it, also by more than the timer on a busy machine. */
      function deployCommits(): void {
        commitTimer = undefined;
        if (hasNewCommit) queue.changed(undefined);
        else deployedBefore();
        hasNewCommit = false;
      }
      host.addAction('build.done', ({ written, removed, since, articles }) => {
        const paths = new Set(articles.map(({ path }) => path));
        // Another receiver may have built an article, or a build may have read its file before its answer.
        const { good } = readBuildState(stateDir);
        const isInOutput = ({ path, digest }: TrackedChange) => good?.digests[path] === digest;
        built(
          [...written, ...removed],
          (change) => paths.has(change.path) || isInOutput(change),
          since ?? '',
        );
      });
      host.addAction('host.ready', () => {
        lookAtPushes();
        if (isBuiltHere) return; // after the first build
        if (targets.length > 0) deployedBefore();
        else for (const change of stages.waitingFor('live', 'pushed')) checks.add(change);
      });
      host.addAction('build.failed', ({ reason }) => stages.setError('built', reason));
      host.addAction('site.built', ({ files, articles, failed, output: version }) => {
        output.onBuilt?.(version);
        const pages = new Set(files);
        // Another receiver on the folder may have written the page before.
        const paths = new Set(failed === 0 ? articles : []);
        built(files, ({ path, url }) => paths.has(path) || pages.has(fileOf(url, host.siteUrl) ?? ''));
      });
      host.addAction('search.written', () => {
        if (targets.length > 0) queue.changed(undefined);
      });
      host.onClose(async () => {
        stop.abort();
        clearTimeout(pushTimer);
        clearTimeout(commitTimer);
        await queue.stop();
        lock?.close();
        await stages.close();
      });
    },
  });
}

/** The output file of an article's page that Pressmark builds; undefined where no file can be. */
function fileOf(url: string, siteUrl: string): string | undefined {
  try {
    const path = decodeURIComponent(url.slice(siteUrl.length + 1).replace(/[?#].*$/s, ''));
    return /\.html?$/i.test(path) ? path : `${path.replace(/\/$/, '')}/index.html`;
  } catch {
    return undefined; // `%` without two hexadecimal digits, or bytes that are not UTF-8
  }
}
