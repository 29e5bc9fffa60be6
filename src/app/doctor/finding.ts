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

/** What is as it should be. */
export function ok(about: string, text: string): Finding {
  return { level: 'ok', about, text };
}

/** What may be what the owner wants. */
export function warn(about: string, text: string, fix: string): Finding {
  return { level: 'warn', about, text, fix };
}

/** What keeps the receiver from working, or loses something. */
export function fail(about: string, text: string, fix: string): Finding {
  return { level: 'fail', about, text, fix };
}

/** What follows a refusal: its message names the value, and mostly what to set instead. */
const FIX = 'fix the cause that it names; pressmark start refuses to run with the same message';

/**
 * The findings of a check that the start makes too, or its refusal.
 *
 * @param check returns its findings; nothing if all is well.
 * @throws what is a fault of the program.
 */
export async function checked(
  about: string,
  check: () => Promise<readonly Finding[] | undefined>,
): Promise<readonly Finding[]> {
  try {
    return (await check()) ?? [];
  } catch (error) {
    if (!(error instanceof PressmarkError) && systemCode(error) === undefined) throw error;
    return [fail(about, messageOf(error), FIX)];
  }
}

/** A finding lists no more files than these. */
const MAX_LISTED = 5;

/** The first of several items, and the number of the others. */
export function listed(items: readonly string[], separator = ', '): string {
  const more = items.length > MAX_LISTED ? `${separator}and ${items.length - MAX_LISTED} more` : '';
  return `${items.slice(0, MAX_LISTED).join(separator)}${more}`;
}
