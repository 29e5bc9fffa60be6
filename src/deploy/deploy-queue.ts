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

/** How deploys follow one another, in milliseconds. */
export interface DeployPauses {
  /** The pause before the first retry; doubled each time. */
  readonly retryMs: number;
  readonly longestRetryMs: number;
}

const DEPLOY_PAUSES: DeployPauses = { retryMs: 5_000, longestRetryMs: 30 * 60_000 };

/** How one target stands; also in the state file, where `status` and the next start read it. */
export interface TargetState {
  /** The output that the target has; undefined before the first deploy. */
  readonly deployed?: { readonly version: string; readonly at: string };
  /** The version that is being deployed: a build does not remove that output. */
  readonly deploying?: string;
  /** Since when deploys fail, ISO 8601. */
  readonly behindSince?: string;
  /** How often in a row a deploy has failed. */
  readonly attempts: number;
  readonly error?: string;
  /** Whether that was a rule of the remote or the rights of this user, which trying again does not change. */
  readonly isDeclined?: boolean;
}

export type DeployState = Readonly<Record<string, TargetState>>;

/** A deploy that went well, with the end of what its command printed; empty where there is none. */
export type Deployed = Actions['deploy.done'];

export interface DeployQueueOptions {
  readonly targets: readonly DeployTarget[];
  readonly source: OutputSource;
  readonly stateDir: string;
  readonly log: Log;
  /** Called when a target has an output. */
  onDeployed(done: Deployed): void;
  /** @param began when it began, or when the one before ended. */
  onFailed(target: string, error: string, began: number): void;
  /** Held during each deploy, as other receivers on the site's folder deploy to the same targets. */
  readonly lock?: Pick<Lock, 'enter' | 'leave'>;
  readonly pauses?: DeployPauses;
}

/** See `createDeployQueue`. */
export type DeployQueue = ReturnType<typeof createDeployQueue>;

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
 * pauses where it fails. Nothing is deployed before the first change is told.
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
    const text = `${JSON.stringify(Object.fromEntries(states))}\n`;
    writing = writing
      .then(() => writeAtomically(join(stateDir, NAME), text))
      .catch((error: unknown) => {
        // On a full disk, say. The next start deploys again what was deployed since.
        log.warn({ reason: messageOf(error) }, `${NAME} cannot be written`);
      });
    return writing;
  }

  /** Waits for the lock, however long another receiver deploys. @returns false if this receiver stops before. */
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

  /** The deploys to one target. */
  function createTargetQueue(target: DeployTarget) {
    const { name, commits: source = options.source } = target;
    const stateOf = () => states.get(name) ?? { attempts: 0 };
    /** What came since the last deploy began: a change, or that the target gets the output whether or not it has it. */
    let pending: 'changed' | 'forced' | undefined;
    let running: Promise<void> | undefined;
    /** When the last good deploy began, by `performance.now()`. */
    let lastBegan = Number.NEGATIVE_INFINITY;
    /** Ends the pause after a failure. */
    let wake = new AbortController();

    function request(what: 'changed' | 'forced'): void {
      if (pending !== 'forced') pending = what;
      if (!signal.aborted) running ??= run();
    }

    /** Deploys until the target has everything. A target that is away stays away, however many builds there are. */
    async function run(): Promise<void> {
      while (pending !== undefined && !signal.aborted) {
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
      }
      running = undefined;
    }

    /** How long the next deploy must wait, in milliseconds; also after a restart. */
    function msUntilNext(): number {
      const { everyMs = 0 } = target;
      const last = Date.parse(stateOf().deployed?.at ?? '');
      return Number.isNaN(last) ? 0 : Math.min(everyMs, Math.max(0, last + everyMs - Date.now()));
    }

    /** Deploys the present output. @returns why that failed. */
    async function deploy(): Promise<Required<Pick<TargetState, 'error' | 'isDeclined'>> | undefined> {
      let isInside = false;
      try {
        isInside = await enter();
        const folder = source.folder();
        const version = source.version();
        const isWanted = pending === 'forced' || stateOf().deployed?.version !== version;
        pending = undefined;
        if (!isInside || folder === undefined || !isWanted) return undefined;
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
    /** The output may have changed: it goes to the targets that do not have it. */
    changed: () => {
      for (const queue of targetQueues) queue.changed();
    },
    /** Brings the output to these targets, also where they have it; a pause after failures ends. */
    deployNow: (some: readonly DeployTarget[]) => {
      for (const queue of targetQueues) if (some.includes(queue.target)) queue.now();
    },
    /** All targets have what there was at this moment, by `performance.now()`, also where there is something newer by now. */
    deployedUntil: () =>
      Math.min(performance.now(), ...targetQueues.map(({ deployedUntil }) => deployedUntil())),
    /** Ends what is under way; the next start continues. */
    stop: async () => {
      stopping.abort();
      await Promise.all(targetQueues.map((queue) => queue.end()));
      await writing;
    },
  };
}
