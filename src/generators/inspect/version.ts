import type { Problem } from '../generator.js';

/**
 * Names a version of a generator that Pressmark was not tried with.
 *
 * @param version such as `3.1.2`; undefined where it is not known.
 * @param tried the versions that it was tried with, in words, such as `Eleventy 2 and 3`.
 * @param majors their first numbers.
 * @param minor the least second number. @default any
 */
export function untestedVersion(
  version: string | undefined,
  tried: string,
  majors: readonly number[],
  minor = 0,
): Problem[] {
  const [, first, second = '0'] = /^v?(\d+)(?:\.(\d+))?/.exec(version ?? '') ?? [];
  if (first === undefined || (majors.includes(Number(first)) && Number(second) >= minor)) return [];
  const text = `This site has version ${version}; Pressmark was tried with ${tried}.`;
  return [{ level: 'warn', text, fix: 'Look at the page of the first article, and at its lists and feeds.' }];
}
