import { messageOf, PressmarkError, systemCode } from '../../errors.js';

/** One thing that was looked at. */
export interface Finding {
  /** `fail` keeps the receiver from working or loses something; `warn` may be what the owner wants. */
  readonly level: 'ok' | 'warn' | 'fail';
  readonly about: string;
  readonly text: string;
  /** How to fix it. */
  readonly fix?: string;
}

/** What follows a refusal: its message names the value, and mostly what to set instead. */
const FIX = 'fix the cause that it names; pressmark start refuses to run with the same message';

/**
 * The finding of a check that the start makes too, where the check fails.
 *
 * @param fine the text of the finding where it does not; without it there is none then.
 */
export async function refusalOf(about: string, check: () => unknown, fine?: string): Promise<Finding[]> {
  try {
    await check();
    return fine === undefined ? [] : [{ level: 'ok', about, text: fine }];
  } catch (error) {
    return [refusal(about, error)];
  }
}

/** The finding of an error with which the start ends. @throws the error where it is a fault of the program. */
export function refusal(about: string, error: unknown): Finding {
  if (!(error instanceof PressmarkError) && systemCode(error) === undefined) throw error;
  return { level: 'fail', about, text: messageOf(error), fix: FIX };
}

/** A finding lists no more files than these. */
const MAX_LISTED = 5;

/** The first of several items, and the number of the others. */
export function listed(items: readonly string[], separator = ', '): string {
  const more = items.length > MAX_LISTED ? `${separator}and ${items.length - MAX_LISTED} more` : '';
  return `${items.slice(0, MAX_LISTED).join(separator)}${more}`;
}
