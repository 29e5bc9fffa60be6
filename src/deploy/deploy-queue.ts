import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import { messageOf, PressmarkError, systemCode } from '../errors.js';
import { writeAtomically } from '../fs/atomic-write.js';
import type { Lock } from '../fs/lock.js';
import type { Log } from '../log.js';
import type { DeployTarget } from './targets/target.js';

/** How deploys follow one another, in milliseconds. */
export interface DeployPauses {
  /** The pause before the first retry; doubled each time. */
  readonly retryMs: number;
  readonly longestRetryMs: number;
  /** A deploy that has failed for this long is given up until the output changes again. */
  readonly giveUpMs: number;
}

export const DEPLOY_PAUSES: DeployPauses = {
  retryMs: 5_000,
  longestRetryMs: 30 * 60_000,
  giveUpMs: 24 * 3_600_000,
};

/** How one target stands; also in the state file, where `status` and the next start read it. */
export interface TargetState {
  /** The output that the target has; undefined before the first deploy. */
  readonly deployed?: { readonly version: string; readonly at: string };
  /** Since when it lacks something, ISO 8601. */
  readonly behindSince?: string;
  readonly attempts: number;
  readonly error?: string;
}

export type DeployState = Readonly<Record<string, TargetState>>;

/** The output that is deployed, as it is now. */
export interface OutputSource {
  /** The folder, without symbolic links; undefined before the first good build. */
  folder(): string | undefined;
  /** Identifies the output: it changes whenever a file of the output changes, and otherwise stays the same if possible. */
  version(): string;
  /** Pressmark's own pages have been built; `output` changes with their content. */
  onBuilt?(output: string): void;
  /** The output in this folder is being deployed, and is not removed meanwhile. @returns a function that ends it. */
  use?(folder: string): () => void;
}

export interface DeployQueueOptions {
  readonly targets: readonly DeployTarget[];
  readonly source: OutputSource;
  readonly stateDir: string;
  readonly log: Log;
  /** Called before a deploy begins. */
  onBegin?(target: string, version: string): void;
  /** Called when a target has an output. `version` was the output's before the deploy began. */
  onDeployed(target: string, version: string): void;
  onFailed(target: string, error: string): void;
  /** Held during each deploy, as other receivers on the site's folder deploy to the same targets. */
  readonly lock?: Pick<Lock, 'enter' | 'leave'>;
  readonly pauses?: DeployPauses;
}

/** Deploys outputs; see `createDeployQueue`. */
export interface DeployQueue {
  /**
   * The output has changed.
   *
   * @param files what has changed; undefined where that is not known.
   * @param since the version that these changes were made to. Where it is not the last one that this queue knows, another
   *   receiver has built in between, and the whole output is compared.
   */
  changed(files: Iterable<string> | undefined, since?: string): void;
  /** How each target stands. */
  state(): DeployState;
  /** Ends what is under way; the next start continues. */
  stop(): Promise<void>;
}

const NAME = 'deploy.json';

/** The state that the last process left, for the next one and for `status`. One that cannot be read counts as none. */
export function readDeployState(stateDir: string, log?: Log): DeployState {
  try {
    const value: unknown = JSON.parse(fs.readFileSync(join(stateDir, NAME), 'utf8'));
    return typeof value === 'object' && value !== null ? (value as DeployState) : {};
  } catch (error) {
    if (systemCode(error) !== 'ENOENT')
      log?.warn({ reason: messageOf(error) }, `${NAME} cannot be read; the output is deployed again`);
    return {};
  }
}

/**
 * Brings the output to each target: at once after a change, one deploy at a time for each target, and again with growing
 * pauses where it fails. A target whose output is not the present one is deployed to after a start, too: what was checked is
 * never forgotten.
 */
export function createDeployQueue(options: DeployQueueOptions): DeployQueue {
  const {
    targets,
    source,
    stateDir,
    log,
    onBegin,
    onDeployed,
    onFailed,
    lock,
    pauses = DEPLOY_PAUSES,
  } = options;
  const known = readDeployState(stateDir, log);
  // How long a deploy has failed is counted from the start: while the process did not run, nothing was tried.
  const states = new Map(
    targets.map(({ name }): [string, TargetState] => {
      const { deployed } = known[name] ?? {};
      return [name, { ...(deployed && { deployed }), attempts: 0 }];
    }),
  );
  /** The version of the output up to which all changes have been handed to the targets. */
  let lastVersion = source.folder() === undefined ? undefined : source.version();
  const stop = new AbortController();
  let writing: Promise<void> = Promise.resolve();

  function keep(name: string, state: TargetState): Promise<void> {
    states.set(name, state);
    const text = `${JSON.stringify(Object.fromEntries(states))}\n`;
    writing = writing
      .then(() => writeAtomically(join(stateDir, NAME), text))
      .catch((error: unknown) => {
        // On a full disk, say. The next start deploys again what was deployed meanwhile.
        log.warn({ reason: messageOf(error) }, `${NAME} cannot be written`);
      });
    return writing;
  }

  /** Waits for the lock, however long another receiver deploys. @returns false where this one stops before. */
  async function entered(): Promise<boolean> {
    const stopped = new AbortController();
    const ended = once(stop.signal, 'abort', { signal: stopped.signal }).then(
      () => false,
      () => false,
    );
    try {
      return await Promise.race([ended, enter()]);
    } finally {
      stopped.abort();
    }
  }

  async function enter(): Promise<boolean> {
    while (!stop.signal.aborted) {
      try {
        await lock?.enter();
        if (!stop.signal.aborted) return true;
        lock?.leave();
      } catch (error) {
        if (!(error instanceof PressmarkError && error.code === 'LOCK_TIMEOUT')) throw error;
      }
    }
    return false;
  }

  const targetQueues = targets.map((target) => createTargetQueue(target));

  /** The deploys to one target. */
  function createTargetQueue(target: DeployTarget) {
    const { name } = target;
    /** What has changed since the last deploy began; undefined where that is not known. */
    let changed: Set<string> | undefined;
    let isPending = false;
    let isGivenUp = false;
    let running: Promise<void> | undefined;
    let timer: NodeJS.Timeout | undefined;
    const skipped = new Set<string>();

    /** Says once of a link that it is not deployed. */
    function onSkipped(link: string, why: string): void {
      if (skipped.has(link)) return;
      skipped.add(link);
      log.warn({ target: name, link }, `a symbolic link in the output is not deployed: ${why}`);
    }

    function request(files: Iterable<string> | undefined): void {
      if (files === undefined) changed = undefined;
      else if (!isPending) changed = new Set(files);
      else if (changed !== undefined) for (const file of files) changed.add(file);
      isPending = true;
      // A target that is away stays away, however many builds there are: the pause goes on.
      if (timer !== undefined) return;
      if (isGivenUp) {
        isGivenUp = false;
        const { deployed } = states.get(name) ?? {};
        states.set(name, { ...(deployed && { deployed }), attempts: 0 });
      }
      if (running === undefined && !stop.signal.aborted) running = run();
    }

    async function run(): Promise<void> {
      while (isPending && !stop.signal.aborted) {
        const before = states.get(name) ?? { attempts: 0 };
        let isInside = false;
        let endUse: (() => void) | undefined;
        try {
          isInside = await entered();
          const folder = source.folder();
          if (!isInside || folder === undefined) break;
          const files = changed;
          isPending = false;
          const version = source.version();
          onBegin?.(name, version);
          endUse = source.use?.(folder);
          await target.deploy({ folder, changed: files, onSkipped }, stop.signal);
          await keep(name, { deployed: { version, at: now() }, attempts: 0 });
          onDeployed(name, version);
          await target.prepareNext?.(stop.signal).catch((error: unknown) => {
            // The next deploy does it then, or says what is wrong.
            if (!stop.signal.aborted) log.debug({ target: name, reason: messageOf(error) }, 'not prepared');
          });
        } catch (error) {
          if (stop.signal.aborted) break;
          await failed(before, messageOf(error));
          break;
        } finally {
          endUse?.();
          if (isInside) lock?.leave();
        }
      }
      running = undefined;
    }

    async function failed(before: TargetState, error: string): Promise<void> {
      changed = undefined; // how far it has come is not known
      isPending = true;
      const attempts = before.attempts + 1;
      const behindSince = before.behindSince ?? now();
      const ms = Math.min(pauses.longestRetryMs, pauses.retryMs * 2 ** (attempts - 1));
      isGivenUp = Date.now() + ms - Date.parse(behindSince) > pauses.giveUpMs;
      log.error(
        { target: name, error, attempts, ...(!isGivenUp && { retryInMs: ms }) },
        isGivenUp
          ? 'the site could not be deployed, and is tried again only when it has changed'
          : 'the site could not be deployed; it is tried again',
      );
      const { deployed } = before;
      await keep(name, { ...(deployed && { deployed }), behindSince, attempts, error });
      onFailed(name, error);
      if (isGivenUp) return;
      timer = setTimeout(() => {
        timer = undefined;
        if (running === undefined && !stop.signal.aborted) running = run();
      }, ms);
    }

    async function end(): Promise<void> {
      clearTimeout(timer);
      await running;
    }

    if (source.folder() !== undefined && states.get(name)?.deployed?.version !== source.version())
      request(undefined);
    return { request, end };
  }

  return {
    changed: (files, since) => {
      const isKnown = files !== undefined && (since === undefined || since === lastVersion);
      lastVersion = source.version();
      const all = isKnown ? [...files] : undefined;
      for (const queue of targetQueues) queue.request(all);
    },
    state: () => Object.fromEntries(states),
    stop: async () => {
      stop.abort();
      await Promise.all(targetQueues.map((queue) => queue.end()));
      await writing;
    },
  };
}

function now(): string {
  return new Date().toISOString();
}
