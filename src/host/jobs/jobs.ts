import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { didYouMean, messageOf, PressmarkError, quote } from '../../errors.js';
import type { Log } from '../../log.js';
import { type ActionName, type Actions, isForJobs, type JobEventName } from '../hooks/hook-types.js';
import { createTimer, type Timing } from '../hooks/timings.js';
import { checkKeys, complaintsOf, isName } from '../invalid.js';
import { timesOf } from './crons.js';
import type { Cron, Job, JobState } from './job.js';
import { articleKey, isOfStored, NOTED, type NotedEvent, openNotes, readNotes } from './notes.js';
import { createRunner, type Work } from './runner.js';

/** The plugin that adds jobs. */
export interface JobOwner {
  readonly plugin: string;
  readonly log: Log;
  /** The actions that exist. */
  readonly actions: readonly string[];
  /** The site's time zone. */
  readonly timeZone: string;
}

/** An article that is about to be stored. */
export interface ComingArticle {
  readonly id: string;
  /** The revision that an update replaces. */
  readonly base?: string;
  /** The delivery's `timestamp`. */
  readonly timestamp: string;
}

/** A job or a cron of a plugin, and how its attempts went. */
export interface JobReport extends Timing {
  readonly plugin: string;
  /** `<plugin>.<job>` */
  readonly job: string;
  /** The action, or `cron`. */
  readonly on: string;
  /** The times of a cron. */
  readonly at?: string;
}

/** The jobs of all plugins of a receiver; see `createJobs`. */
export type Jobs = ReturnType<typeof createJobs>;

/**
 * A job begins once no article has come for `QUIET_MS`, as its work would delay answers, and at the latest after
 * `LONGEST_WAIT_MS`.
 */
const QUIET_MS = 50;
const LONGEST_WAIT_MS = 250;

const DEFAULT_TIMEOUT_MS = 300_000;
const MOST_BYTES = 1_000_000;

/**
 * Creates the jobs of plugins: events are noted on the disk, and one of the receivers on the folder runs the jobs.
 *
 * @param folder the folder of the notes.
 */
export function createJobs({
  folder,
  log,
  now = Date.now,
}: {
  folder: string;
  log: Log;
  now?: () => number;
}) {
  const notes = openNotes(join(folder, NOTED));
  const works = new Map<string, Work>();
  let articleCameAt = Number.NEGATIVE_INFINITY;
  const runner = createRunner({ folder, notes, works, log, now, quiet });

  async function quiet(): Promise<void> {
    const latest = performance.now() + LONGEST_WAIT_MS;
    const left = () => Math.min(articleCameAt + QUIET_MS, latest) - performance.now();
    while (left() > 0) await wait(left());
  }

  /** @throws PressmarkError PLUGIN_INVALID, with the mistake in the job. */
  function addJob<N extends JobEventName>(owner: JobOwner, name: unknown, job: Job<N>): void {
    const { plugin, actions } = owner;
    const complain = complaintsOf(plugin, `job ${quote(name)}: `);
    checkKeys(job, ['on', 'since', 'timeoutMs', 'run'], complain);
    const { on, since = 'activation', run } = job;
    if (!actions.includes(on))
      throw complain(`there is no action ${quote(on)}${didYouMean(String(on), actions)}`);
    if (!isForJobs(on)) throw complain(`no job can be on ${on}; use addAction`);
    if (since !== 'activation' && since !== 'ever')
      throw complain(`its since is ${quote(since)}; write 'activation' or 'ever'`);
    if (since === 'ever' && on !== 'article.published')
      throw complain(`since: 'ever' is for article.published alone: nothing tells what else has happened`);
    const call: Work['call'] = (event, context) => run(event as Parameters<typeof run>[0], context); // as noted for it
    add({ ...workOf(owner, name, job, complain), on, isForAll: since === 'ever', call });
  }

  /** @throws PressmarkError PLUGIN_INVALID, with the mistake in the cron. */
  function addCron(owner: JobOwner, name: unknown, cron: Cron): void {
    const complain = complaintsOf(owner.plugin, `cron ${quote(name)}: `);
    checkKeys(cron, ['at', 'timeZone', 'timeoutMs', 'run'], complain);
    const { at, timeZone = owner.timeZone, run } = cron;
    try {
      const times = timesOf(at, timeZone);
      const call: Work['call'] = (_event, context) => run(context);
      add({ ...workOf(owner, name, cron, complain), on: 'cron', at, isForAll: false, times, call });
    } catch (error) {
      if (error instanceof PressmarkError) throw error;
      throw complain(`its at is ${quote(at)}: ${messageOf(error)}`);
    }
  }

  function add(work: Work): void {
    works.set(work.id, work);
  }

  function workOf(
    { plugin, log }: JobOwner,
    name: unknown,
    {
      timeoutMs = DEFAULT_TIMEOUT_MS,
      run,
    }: Pick<Cron, 'timeoutMs' | 'run'> | Pick<Job<never>, 'timeoutMs' | 'run'>,
    complain: (what: string) => PressmarkError,
  ): Pick<Work, 'id' | 'plugin' | 'timeoutMs' | 'timer' | 'log'> {
    const id = `${plugin}.${String(name)}`;
    if (!isName(name)) throw complain('name it in lower-case letters, digits and hyphens');
    if (works.has(id)) throw complain('there is another job or cron of this name; rename one');
    if (typeof run !== 'function') throw complain('its run is not a function');
    if (!(timeoutMs > 0 && timeoutMs < 2 ** 31))
      throw complain(`its timeoutMs is ${quote(timeoutMs)}; it must be a number of milliseconds`);
    return { id, plugin, timeoutMs, timer: createTimer(), log: log.child({ job: name }) };
  }

  /**
   * Notes an action for the jobs that follow it. The action of a stored article was noted before it was stored.
   *
   * @returns a promise that never rejects.
   */
  async function noteAction<N extends ActionName>(name: N, payload: Actions[N]): Promise<void> {
    try {
      const isStored = isOfStored(name);
      if (isStored) articleCameAt = performance.now();
      if (!isAwaited(name)) return;
      if (isStored) return runner.wake();
      // As it is now: it is written together with others, and the plugin may change it until then.
      const text = JSON.stringify({ payload });
      if (Buffer.byteLength(text) > MOST_BYTES)
        throw new Error(`its argument is longer than ${MOST_BYTES} bytes`);
      const key = name === 'article.live' ? liveKey(payload as Actions['article.live']) : randomUUID();
      await note({ name, payload: JSON.parse(text).payload, key });
      runner.wake();
    } catch (error) {
      log.error({ action: name, err: error }, 'an action could not be noted; the jobs on it do not run');
    }
  }

  /**
   * Notes an article for the jobs that follow it, before it is stored; undefined if there is no such job. A note whose article
   * is never stored is dropped.
   *
   * @throws the system's errors
   */
  function noteArticle(
    event: 'article.published' | 'article.updated',
    { id, base, timestamp }: ComingArticle,
  ): Promise<void> | undefined {
    articleCameAt = performance.now();
    const key = base === undefined ? articleKey(id) : `${articleKey(id)} ${base}`;
    return note({ name: event, key, payload: { id, timestamp, ...(base !== undefined && { base }) } });
  }

  /**
   * Runs a job now for an event that is waiting for its next attempt or was given up, even if another receiver runs the jobs.
   *
   * @param job `<plugin>.<job>`
   * @param key the key of the event; see `OpenJob`.
   * @throws PressmarkError USAGE if there is no such event, as it is done, or no plugin has this job.
   */
  async function runAgain(job: string, key: string): Promise<void> {
    const event = readNotes(join(folder, NOTED))
      .flatMap(({ events }) => events)
      .find((one) => one.key === key && one.jobs[job] !== undefined && one.again === undefined);
    if (event === undefined || !works.has(job))
      throw new PressmarkError('USAGE', `job ${job} has nothing to do for this event any more`);
    const { name, payload } = event;
    const at = new Date(now()).toISOString();
    await notes.add({ name, key, at, payload, again: true, jobs: { [job]: { kind: 'waiting' } } });
    runner.wake();
  }

  const isAwaited = (name: string) => [...works.values()].some(({ on }) => on === name);

  /** Notes an event; undefined if no job follows it. */
  function note(event: Pick<NotedEvent, 'name' | 'key' | 'payload'>): Promise<void> | undefined {
    const jobs: Record<string, JobState> = {};
    for (const { id, on } of works.values()) if (on === event.name) jobs[id] = { kind: 'waiting' };
    if (Object.keys(jobs).length === 0) return undefined;
    return notes.add({ ...event, at: new Date(now()).toISOString(), jobs });
  }

  function report(): JobReport[] {
    return [...works.values()].map(({ plugin, id, on, at, timer }) => ({
      plugin,
      job: id,
      on,
      ...(at !== undefined && { at }),
      ...timer.timing,
    }));
  }

  return {
    addJob,
    addCron,
    report,
    noteAction,
    noteArticle,
    runAgain,
    /** Starts to run jobs. */
    start: runner.start,
    /** Stops running jobs, and waits for them. */
    close: runner.close,
  };
}

/** Several receivers may see that an article is live. */
function liveKey({ path, at }: Actions['article.live']): string {
  return `${path} ${at}`;
}
