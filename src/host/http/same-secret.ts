import { hash, timingSafeEqual } from 'node:crypto';

/** Compares two texts in constant time. A missing text equals no other. */
export function sameSecret(given: string | undefined, expected: string): boolean {
  const digest = (text: string) => hash('sha256', text, 'buffer');
  return timingSafeEqual(digest(given ?? ''), digest(expected)) && given !== undefined;
}
