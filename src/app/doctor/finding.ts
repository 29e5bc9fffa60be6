import { messageOf, PressmarkError, systemCode } from '../../errors.js';

/** The result of one check. */
export interface Finding {
  /** `fail`: the receiver cannot work, or something is lost. `warn`: the owner may want it so. */
  readonly level: 'ok' | 'warn' | 'fail';
  readonly about: string;
  readonly text: string;
  /** How to fix it. */
  readonly fix?: string;
}

/** A check that passed. */
export function ok(about: string, text: string): Finding {
  return { level: 'ok', about, text };
}

/** Something that the owner may or may not want. */
export function warn(about: string, text: string, fix: string): Finding {
  return { level: 'warn', about, text, fix };
}

/** Something that keeps the receiver from working, or loses data. */
export function fail(about: string, text: string, fix: string): Finding {
  return { level: 'fail', about, text, fix };
}

/** The fix for a refusal, whose message names the value and usually the remedy. */
const FIX = 'fix the cause that it names; pressmark start refuses to run with the same message';

/**
 * Runs a check that the start runs too, and turns a refusal into a finding.
 *
 * @param check returns its findings; none if it passes.
 * @throws any error that is not a refusal.
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

/** The highest number of files in a finding. */
const MAX_LISTED = 5;

/** The first of several items, and the number of the others. */
export function listed(items: readonly string[], separator = ', '): string {
  const more = items.length > MAX_LISTED ? `${separator}and ${items.length - MAX_LISTED} more` : '';
  return `${items.slice(0, MAX_LISTED).join(separator)}${more}`;
}
