import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { messageOf, PressmarkError, systemCode } from '../errors.js';
import { writeAtomically } from '../fs/atomic-write.js';
import type { Lock } from '../fs/lock.js';
import { isDeclined } from '../git/push/push-status.js';
import type { Actions } from '../host/hooks/hook-types.js';
import type { Log } from '../log.js';
import type { DeployTarget, OutputSource } from './targets/target.js';

/** The timing of deploys, in milliseconds. */
export interface DeployPauses {
  /** The pause before the first retry; doubled each time. */
  readonly retryMs: number;
  readonly longestRetryMs: number;
}

const DEPLOY_PAUSES: DeployPauses = { retryMs: 5_000, longestRetryMs: 30 * 60_000 };

/** The state of one target. `status` and the next start read it from the state file. */
export interface TargetState {
  /** The deployed output; undefined before the first deploy. */
  readonly deployed?: { readonly version: string; readonly at: string };
  /** The version that is being deployed; builds do not remove that output. */
  readonly deploying?: string;
  /** The time of the first of the failed deploys, ISO 8601. */
  readonly behindSince?: string;
  /** The number of consecutive failed deploys. */
  readonly attempts: number;
  readonly error?: string;
  /** Whether the remote declined the push, which a retry does not change. */
  readonly isDeclined?: boolean;
}

export type DeployState = Readonly<Record<string, TargetState>>;

/** A successful deploy, with the end of its command's output. */
export type Deployed = Actions['deploy.done'];

export interface DeployQueueOptions {
  readonly targets: readonly DeployTarget[];
  readonly source: OutputSource;
  readonly stateDir: string;
  readonly log: Log;
  /** Called after a successful deploy. */
  onDeployed(done: Deployed): void;
  /** @param began when the deploy began, or the previous one ended. */
  onFailed(target: string, error: string, began: number): void;
  /** Locked during each deploy, as other receivers on the folder deploy to the same targets. */
  readonly lock?: Pick<Lock, 'enter' | 'leave'>;
  readonly pauses?: DeployPauses;
}

/** See `createDeployQueue`. */
export type DeployQueue = ReturnType<typeof createDeployQueue>;

const NAME = 'deploy.json';

/** Reads the state of all targets. An unreadable file counts as missing. */
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
 * Creates the queue that deploys the output to each target: at once after a change, one deploy at a time per target, and again
 * with growing pauses after a failure. Nothing is deployed before the first change.
 */
export function createDeployQueue(options: DeployQueueOptions) {
  const { targets, stateDir, log, onDeployed, onFailed } = options;
  const { lock, pauses = DEPLOY_PAUSES } = options;
  const known = readDeployState(stateDir, log);
  const states = new Map(
    targets.map(({ name }): [string, TargetState] => {
      const { deployed } = known[name] ?? {};
      return [name, { ...(deployed && { deployed }), attempts: 0 }];
    }),
  );
  const stopping = new AbortController();
  const { signal } = stopping;
  let writing: Promise<void> = Promise.resolve();

  function keep(name: string, state: TargetState): Promise<void> {
    states.set(name, state);
    return write();
  }

  function write(): Promise<void> {
    const text = `${JSON.stringify(Object.fromEntries(states))}\n`;
    writing = writing
      .then(() => writeAtomically(join(stateDir, NAME), text))
      .catch((error: unknown) => {
        // For instance on a full disk. The next start repeats the deploys since then.
        log.warn({ reason: messageOf(error) }, `${NAME} cannot be written`);
      });
    return writing;
  }

  // The config has a target no more, whose last error would stay in the status.
  if (Object.keys(known).some((name) => !states.has(name))) void write();

  /** Waits for the lock as long as another receiver deploys. @returns false if this receiver stops meanwhile. */
  async function enter(): Promise<boolean> {
    while (!signal.aborted) {
      try {
        await lock?.enter();
        return true;
      } catch (error) {
        if (!(error instanceof PressmarkError && error.code === 'LOCK_TIMEOUT')) throw error;
      }
    }
    return false;
  }

  /** Takes in what another receiver has deployed since this one has read or written the state. */
  function takeInOthers(): void {
    for (const [name, { deployed }] of Object.entries(readDeployState(stateDir))) {
      const own = states.get(name);
      if (own !== undefined && deployed !== undefined && deployed.at > (own.deployed?.at ?? ''))
        states.set(name, { ...own, deployed });
    }
  }

  /** The deploys to one target. */
  function createTargetQueue(target: DeployTarget) {
    const { name, commits: source = options.source } = target;
    const stateOf = () => states.get(name) ?? { attempts: 0 };
    /** The requests since the last deploy began: `forced` deploys even an output that the target has. */
    let pending: 'changed' | 'forced' | undefined = known[name]?.error === undefined ? undefined : 'forced';
    let running: Promise<void> | undefined;
    /** When the last successful deploy began, by `performance.now()`. */
    let lastBegan = Number.NEGATIVE_INFINITY;
    /** Ends the pause after a failure. */
    let wake = new AbortController();

    function request(what: 'changed' | 'forced'): void {
      if (pending !== 'forced') pending = what;
      if (!signal.aborted) running ??= run();
    }

    /**
     * Deploys until the target is up to date. It pauses after a failure, even if the site has been built again by then. Requests
     * that come before the first build wait for its output.
     */
    async function run(): Promise<void> {
      do {
        await setTimeout(msUntilNext(), undefined, { signal }).catch(() => undefined);
        const began = performance.now();
        const failure = await deploy();
        if (failure === undefined) continue;
        pending = 'forced'; // how far it has come is not known
        const { deployed, attempts: before, behindSince = new Date().toISOString() } = stateOf();
        const attempts = before + 1;
        const retryInMs = Math.min(pauses.longestRetryMs, pauses.retryMs * 2 ** before);
        const { error } = failure;
        const what = failure.isDeclined ? 'the remote does not allow it' : 'it is tried again';
        log.error({ target: name, error, attempts, retryInMs }, `the site could not be deployed; ${what}`);
        await keep(name, { ...(deployed && { deployed }), behindSince, attempts, ...failure });
        onFailed(name, error, began);
        wake = new AbortController();
        const either = AbortSignal.any([signal, wake.signal]);
        await setTimeout(retryInMs, undefined, { signal: either }).catch(() => undefined);
      } while (pending !== undefined && source.folder() !== undefined && !signal.aborted);
      running = undefined;
    }

    /** The time until the next deploy, in milliseconds, across restarts. */
    function msUntilNext(): number {
      const { everyMs = 0 } = target;
      const last = Date.parse(stateOf().deployed?.at ?? '');
      return Number.isNaN(last) ? 0 : Math.min(everyMs, Math.max(0, last + everyMs - Date.now()));
    }

    /** Deploys the present output. @returns the error, if it failed. */
    async function deploy(): Promise<Required<Pick<TargetState, 'error' | 'isDeclined'>> | undefined> {
      let isInside = false;
      try {
        isInside = await enter();
        takeInOthers();
        const folder = source.folder();
        const version = source.version();
        if (!isInside || folder === undefined) return undefined;
        const isWanted = pending === 'forced' || stateOf().deployed?.version !== version;
        pending = undefined;
        if (!isWanted) return undefined;
        const began = performance.now();
        await keep(name, { ...stateOf(), deploying: version });
        let printed = '';
        const onPrinted = (end: string) => {
          printed = end;
        };
        await target.deploy({ folder, onPrinted }, signal);
        const done = { target: name, ms: Math.round(performance.now() - began), output: printed };
        await keep(name, { deployed: { version, at: new Date().toISOString() }, attempts: 0 });
        lastBegan = began;
        onDeployed(done);
        return undefined;
      } catch (error) {
        return signal.aborted ? undefined : { error: messageOf(error), isDeclined: isDeclined(error) };
      } finally {
        if (isInside) lock?.leave();
      }
    }

    const now = () => {
      request('forced');
      wake.abort();
    };
    const deployedUntil = () =>
      stateOf().deployed?.version === source.version() ? performance.now() : lastBegan;
    return { target, changed: () => request('changed'), now, deployedUntil, end: async () => await running };
  }

  const targetQueues = targets.map(createTargetQueue);

  return {
    /** Deploys to the targets that do not have the present output. */
    changed: () => {
      for (const queue of targetQueues) queue.changed();
    },
    /** Deploys to these targets in any case, and ends the pause after a failure. */
    deployNow: (some: readonly DeployTarget[]) => {
      for (const queue of targetQueues) if (some.includes(queue.target)) queue.now();
    },
    /** The moment, by `performance.now()`, whose output all targets have. */
    deployedUntil: () =>
      Math.min(performance.now(), ...targetQueues.map(({ deployedUntil }) => deployedUntil())),
    /** Ends running deploys; the next start continues. */
    stop: async () => {
      stopping.abort();
      await Promise.all(targetQueues.map((queue) => queue.end()));
      await writing;
    },
  };
}
