import { join } from 'node:path';
import { messageOf } from '../../errors.js';
import { type Log, withoutHidden } from '../../log.js';
import { TimeoutError, within } from '../../time-limit.js';
import type { ArticleReader } from '../articles/articles.js';
import type { Timer } from '../hooks/timings.js';
import { asPlugin } from '../plugin-code.js';
import { stateFile } from '../state-file.js';
import { createCrons, type Times } from './crons.js';
import { afterFailure, attemptsIn, isDue, type JobContext, type JobState, type StoredEvent } from './job.js';
import { createLead } from './lead.js';
import { articleKey, isOfStored, type Notes, subjectOf } from './notes.js';
import { createQueue, type Unit } from './queue.js';

/** The articles that jobs are about. */
export interface RunnerSite extends Pick<ArticleReader, 'get' | 'ids'> {
  /** Why stored articles may be invisible now; no event is dropped meanwhile. */
  trouble?(): string | undefined;
}

/** A job or a cron of a plugin. */
export interface Work {
  /** `<plugin>.<name>` */
  readonly id: string;
  readonly plugin: string;
  /** The action, or `cron`. */
  readonly on: string;
  /** The cron expression, as the plugin wrote it. */
  readonly at?: string;
  /** Whether it also runs for articles that existed before it. */
  readonly isForAll: boolean;
  /** The times of a cron. */
  readonly times?: Times;
  readonly timeoutMs: number;
  readonly timer: Timer;
  readonly log: Log;
  call(event: unknown, context: JobContext): unknown;
}

export interface RunnerOptions {
  readonly folder: string;
  readonly notes: Notes;
  readonly works: ReadonlyMap<string, Work>;
  readonly log: Log;
  now(): number;
  /** Resolves when the next job may begin. */
  quiet(): Promise<void>;
}

/** The event for a job; `not done` if it was noted and its article is not stored yet. */
type FoundEvent = { readonly kind: 'done'; readonly event: unknown } | { readonly kind: 'not done' };

/** The interval between checks for new notes and due jobs, in milliseconds. */
const LOOK_EVERY_MS = 1_000;

/**
 * An article that is not stored this long after its note never will be, in milliseconds. A push may take a quarter of an hour.
 */
const DONE_WITHIN_MS = 3_600_000;

/** How many articles are noted before other work gets a turn. */
const NOTED_AT_ONCE = 1_000;

/** How long a job's other events wait for an attempt that runs on after its time, in milliseconds. */
const STOPS_WITHIN_MS = 10_000;

/** The pause after a failed read or write, in milliseconds. */
const TROUBLE_MS = 10_000;

/**
 * Runs the noted jobs: each job's events one after the other, different jobs in parallel. Only the receiver with the lock runs
 * them.
 */
export function createRunner({ folder, notes, works, log, now, quiet }: RunnerOptions) {
  const begunFile = stateFile<readonly string[]>(
    join(folder, 'begun.json'),
    [],
    'jobs with since: ever begin again',
  );
  const lead = createLead(folder);
  const queue = createQueue({ folder, notes, works, log, now });
  const crons = createCrons(folder, works, now);
  const stopping = new AbortController();
  /** The attempts: each by its job, and by its job and event where it runs on after its time. */
  const running = new Map<string, Promise<void>>();
  let site: RunnerSite = { get: async () => undefined, ids: () => [] };
  let timer: NodeJS.Timeout | undefined;
  let step: Promise<void> | undefined;
  let isAwake = false;
  let trouble: string | undefined;

  function start(ofReceiver: RunnerSite): void {
    if (works.size === 0) return;
    site = ofReceiver;
    timer = setInterval(wake, LOOK_EVERY_MS).unref();
    wake();
  }

  /** Called when something was noted, or is about to be. */
  function wake(): void {
    isAwake = true;
    if (timer !== undefined) step ??= steps();
  }

  async function steps(): Promise<void> {
    while (isAwake && !stopping.signal.aborted) {
      isAwake = false;
      try {
        if (await stepOnce()) trouble = undefined;
      } catch (error) {
        const reason = messageOf(error);
        if (reason !== trouble) log.error({ reason }, 'jobs are paused');
        trouble = reason;
        break; // until the next look
      }
    }
    step = undefined;
  }

  /** @returns whether this receiver runs the jobs. */
  async function stepOnce(): Promise<boolean> {
    if (!lead.isHeld() && !(await takeLead())) return false;
    await queue.saveAll();
    await queue.load();
    queue.dropOver();
    await fireCrons();
    for (const work of works.values()) begin(work);
    return true;
  }

  async function takeLead(): Promise<boolean> {
    letGo(); // somebody has removed the state folder
    if (!(await lead.take())) return false;
    try {
      notes.sweep();
      await queue.load();
      await beginEver();
      await crons.takeOver();
      return true;
    } catch (error) {
      letGo();
      throw error;
    }
  }

  function letGo(): void {
    lead.release();
    queue.letGo();
  }

  /** Notes all articles, once, for each job that also runs for earlier articles. */
  async function beginEver(): Promise<void> {
    const begun = begunFile.read();
    const fresh = [...works.values()].filter(({ id, isForAll }) => isForAll && !begun.includes(id));
    for (const { id, on } of fresh) await noteAll(id, on);
    if (fresh.length > 0) await begunFile.write([...begun, ...fresh.map(({ id }) => id)]);
  }

  /** Notes all stored articles. After an interruption it is repeated, and skips articles that are noted already. */
  async function noteAll(id: string, on: string): Promise<void> {
    const at = new Date(now()).toISOString();
    const missing = [...site.ids()].filter((article) => !queue.has(id, articleKey(article)));
    for (let first = 0; first < missing.length; first += NOTED_AT_ONCE) {
      const some = missing.slice(first, first + NOTED_AT_ONCE);
      const jobs = () => ({ [id]: { kind: 'waiting' } as const });
      await Promise.all(
        some.map((article) =>
          notes.add({ name: on, key: articleKey(article), at, payload: { id: article }, jobs: jobs() }),
        ),
      );
    }
    await queue.load();
  }

  async function fireCrons(): Promise<void> {
    for (const [id, at] of crons.due()) {
      // A pending run counts as this one; a failed one becomes due. This one replaces one that does not stop.
      const open = [...queue.of(id)].filter(({ event }) => event.jobs[id]?.kind !== 'givenUp');
      const pending = open.find((unit) => !isLate(unit));
      for (const unit of open.filter(isLate)) await queue.forget(unit);
      if (pending === undefined)
        await notes.add({
          name: 'cron',
          key: `cron ${at}`, // this is repeated where a write fails
          at: new Date(now()).toISOString(),
          payload: {},
          jobs: { [id]: { kind: 'waiting' } },
        });
      else if (pending.event.jobs[id]?.kind === 'failed') await queue.change(pending, { kind: 'waiting' });
      await crons.ranNow(id);
      await queue.load();
    }
  }

  function begin(work: Work): void {
    if (running.has(work.id) || stopping.signal.aborted) return;
    for (const unit of queue.of(work.id)) {
      const state = unit.event.jobs[work.id];
      if (state === undefined || !isDue(state, now()) || unit.notBefore > now() || isLate(unit)) continue;
      const run = runUnit(work, unit, state)
        .catch((error: unknown) => {
          unit.notBefore = now() + TROUBLE_MS;
          work.log.error(
            { reason: messageOf(error) },
            'the job’s state could not be written; it is tried again in 10 s',
          );
        })
        .finally(() => {
          running.delete(work.id);
          begin(work);
        });
      running.set(work.id, run);
      return;
    }
  }

  async function runUnit(work: Work, unit: Unit, before: JobState): Promise<void> {
    const attempt = attemptsIn(before) + 1;
    const about = { event: unit.event.name, id: subjectOf(unit.event.payload), attempt };
    const failed = async (words: string) => {
      const state = afterFailure(attempt, withoutHidden(words), now());
      if (state.kind === 'failed')
        work.log.warn({ ...about, reason: words, nextAt: state.nextAt }, 'the job failed; it is tried again');
      else work.log.error({ ...about, reason: words }, 'the job failed and is given up');
      await queue.change(unit, state);
    };
    await quiet();
    const since = now();
    let found: FoundEvent;
    try {
      found = await eventFor(unit);
    } catch (error) {
      return failed(messageOf(error));
    }
    if (found.kind === 'not done') {
      const age = now() - Date.parse(unit.event.at);
      if (age > DONE_WITHIN_MS && site.trouble?.() === undefined) return queue.forget(unit);
      unit.notBefore = now() + Math.max(LOOK_EVERY_MS, age / 10);
      return undefined;
    }
    const { event } = found;
    const running = { kind: 'running', attempt, since: new Date(since).toISOString() } as const;
    await queue.change(unit, running).catch((error: unknown) => {
      unit.event.jobs[work.id] = before; // not run, as nobody would know of it
      throw error;
    });
    const { signal: stop } = stopping;
    if (stop.aborted) return queue.change(unit, before);
    const timeUp = new AbortController();
    const context = { attempt, signal: AbortSignal.any([stop, timeUp.signal]), log: work.log };
    const began = performance.now();
    const call = asPlugin(work.plugin, async () => work.call(event, context));
    try {
      await within(work.timeoutMs, call);
      work.timer.ended(began, false);
    } catch (error) {
      work.timer.ended(began, true);
      const isTimeUp = error instanceof TimeoutError;
      const words = isTimeUp ? `took longer than ${work.timeoutMs / 1_000} s` : messageOf(error);
      if (isTimeUp) timeUp.abort(new Error(`the job ${words}`));
      try {
        return await (stop.aborted ? queue.change(unit, before) : failed(isTimeUp ? `it ${words}` : words));
      } finally {
        if (isTimeUp) await leaveLate(work, unit, call);
      }
    }
    work.log.debug(about, 'job done');
    return queue.settle(unit, since);
  }

  /** Whether an attempt for the same event still runs after its time. */
  function isLate(unit: Unit): boolean {
    return running.has(nameOf(unit));
  }

  /** Waits for a late attempt to end. If it does not stop, the other events of its job go on. */
  async function leaveLate(work: Work, unit: Unit, call: Promise<unknown>): Promise<void> {
    const ended = call
      .catch(() => undefined)
      .then(() => {
        running.delete(nameOf(unit));
        begin(work);
      });
    running.set(nameOf(unit), ended);
    await within(Math.min(STOPS_WITHIN_MS, work.timeoutMs), ended, () =>
      work.log.warn(
        { id: subjectOf(unit.event.payload) },
        'the job does not stop after its time; its next attempt for this event waits until it does, or for a restart',
      ),
    );
  }

  /** The event for the job, with the article as it is now. */
  async function eventFor({ event: { name, at, payload } }: Unit): Promise<FoundEvent> {
    if (!isOfStored(name)) return { kind: 'done', event: payload };
    const { id, base, timestamp } = payload as { id: string; base?: string; timestamp?: string };
    const article = await site.get(id);
    if (article === undefined || article.revision === base) return { kind: 'not done' };
    const event = { event: name, article, timestamp: timestamp ?? article.date, at } satisfies StoredEvent;
    return { kind: 'done', event };
  }

  /** Stops running jobs. @param waitMs how long to wait for them. */
  async function close(waitMs: number): Promise<void> {
    clearInterval(timer);
    timer = undefined;
    stopping.abort(new Error('the receiver stops'));
    // Until all have ended, or the process has, no other receiver may run them.
    await within(waitMs, untilEnded().then(letGo), () => {
      for (const name of running.keys())
        log.warn(
          { job: name },
          'the job does not stop; unless it ends in time, it is run again after the next start',
        );
    });
  }

  /** An attempt whose time is up while the receiver stops is entered anew. */
  async function untilEnded(): Promise<void> {
    await step;
    while (running.size > 0) await Promise.all(running.values());
  }

  return { start, wake, close };
}

function nameOf({ job, key }: Unit): string {
  return `${job} ${key}`;
}
