import { hash, timingSafeEqual } from 'node:crypto';

/** Whether two texts are the same; the time of the comparison says nothing about them. A text that is missing equals none. */
export function sameSecret(given: string | undefined, expected: string): boolean {
  const digest = (text: string) => hash('sha256', text, 'buffer');
  return timingSafeEqual(digest(given ?? ''), digest(expected)) && given !== undefined;
}
