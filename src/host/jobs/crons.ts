import { join } from 'node:path';
import { Cron as Pattern } from 'croner';
import { messageOf } from '../../errors.js';
import { stateFile } from '../state-file.js';

/** The times of a cron expression. */
export interface Times {
  /** The expression and its time zone. */
  readonly pattern: string;
  /** The first time after a moment, in ms since 1970. */
  after(ms: number): number;
}

/**
 * Reads a cron expression.
 *
 * @throws Error with the mistake in the expression.
 */
export function timesOf(at: unknown, timeZone: string): Times {
  if (typeof at !== 'string' || at.trim().split(/\s+/).length !== 5)
    throw new Error('write five fields, such as 0 3 * * *');
  try {
    new Intl.DateTimeFormat('en', { timeZone });
  } catch {
    throw new Error(`there is no time zone ${timeZone}; write a name such as Europe/Zurich`);
  }
  let times: Pattern;
  try {
    times = new Pattern(at, { mode: '5-part', timezone: timeZone, paused: true });
  } catch (cause) {
    const why = messageOf(cause).replace(/^Cron\w+: /, '');
    throw new Error(`${why}; write five fields, such as 0 3 * * *`, { cause });
  }
  if (times.nextRun() === null)
    throw new Error('there is no such time; write five fields, such as 0 3 * * *');
  return {
    pattern: `${at} ${timeZone}`,
    after: (ms) => times.nextRun(new Date(ms))?.getTime() ?? Number.POSITIVE_INFINITY,
  };
}

/**
 * When a cron runs next. Times that passed while no receiver was running are made up for once.
 *
 * @param last when it ran last, in ms since 1970; undefined for a new cron.
 */
export function nextTime(times: Times, last: number | undefined, now: number): number {
  return times.after(Math.min(last ?? now, now)); // a clock that was set back must not stop it
}

/** When a cron ran last. */
interface LastRun {
  /** See `Times`: the times of an edited cron count from the edit. */
  readonly pattern: string;
  /** In ms since 1970. */
  readonly last: number;
}

/**
 * Keeps the times of the last runs in the folder of jobs, so that a run is not missed while no receiver is running.
 *
 * @param works the jobs and crons, by their ids; jobs have no times.
 */
export function createCrons(
  folder: string,
  works: ReadonlyMap<string, { readonly times?: Times }>,
  now: () => number,
) {
  const file = stateFile<Readonly<Record<string, LastRun>>>(
    join(folder, 'crons.json'),
    {},
    'crons count from the start of the receiver',
  );
  const next = new Map<string, number>();
  let lookedAt = Number.NEGATIVE_INFINITY;
  let ran: Readonly<Record<string, LastRun>> = {};

  /** Reads the last runs. A new cron counts from now. */
  async function takeOver(): Promise<void> {
    ran = file.read();
    const seen: Record<string, LastRun> = {};
    for (const [id, { times }] of works) {
      if (times === undefined) continue;
      const { pattern } = times;
      const before = ran[id];
      const cron = before?.pattern === pattern ? before : { pattern, last: now() };
      seen[id] = cron;
      next.set(id, nextTime(times, cron.last, now()));
    }
    await remember(seen);
  }

  /** The crons that are due, each with its time. */
  function due(): (readonly [id: string, at: number])[] {
    if (now() < lookedAt)
      // the clock was set back
      for (const [id, { times }] of works)
        if (times !== undefined) next.set(id, nextTime(times, ran[id]?.last, now()));
    lookedAt = now();
    return [...next].filter(([, at]) => at <= now());
  }

  /** Records that a cron's run was noted, or that a pending run counts for it. */
  async function ranNow(id: string): Promise<void> {
    const times = works.get(id)?.times;
    if (times === undefined) return;
    await remember({ ...ran, [id]: { pattern: times.pattern, last: now() } });
    next.set(id, nextTime(times, now(), now()));
  }

  async function remember(all: Readonly<Record<string, LastRun>>): Promise<void> {
    if (JSON.stringify(all) !== JSON.stringify(ran)) await file.write(all);
    ran = all;
  }

  return { takeOver, due, ranNow };
}
