import { Cron as Pattern } from 'croner';
import { messageOf } from '../../errors.js';

/** The times of a cron expression. */
export interface Times {
  /** The expression and its time zone. */
  readonly pattern: string;
  /** The first one after a moment, in ms since 1970. */
  after(ms: number): number;
}

/**
 * Reads a cron expression.
 *
 * @throws Error that says what is wrong with it.
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
 * When a cron is next to run. However many times have passed while no receiver ran, it is late once.
 *
 * @param last when it ran last, in ms since 1970; undefined where it has not been seen before.
 */
export function nextTime(times: Times, last: number | undefined, now: number): number {
  return times.after(Math.min(last ?? now, now)); // a clock that was set back must not stop it
}
