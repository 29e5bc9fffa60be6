import { hash } from 'node:crypto';
import slugify from '@sindresorhus/slugify';
import { isReservedSlug } from './reserved.js';

/** Longest slug, in characters; the file name stays far below the 255 bytes that file systems allow. */
const MAX_LENGTH = 80;

/** A suggestion is cut before it is transliterated, so that 900 hostile characters cost no time. */
const MAX_SUGGESTION = 400;

/**
 * A safe file name and URL segment: lowercase ASCII letters, digits and single hyphens, 1 to 80
 * characters, never a path, a reserved name or empty. The same input always gives the same slug.
 *
 * @param suggestion the service's suggestion, any text.
 * @param title taken where nothing of the suggestion is left.
 * @param id names the article where neither leaves anything; never shown itself.
 */
export function slugOf(suggestion: string, title: string, id: string): string {
  const slug = plain(suggestion) || plain(title) || `article-${hash('sha256', id).slice(0, 12)}`;
  return isReservedSlug(slug) ? `${slug}-article` : slug;
}

/** The n-th alternative of a slug that is taken: `name`, `name-2`, `name-3`, … */
export function numbered(slug: string, n: number): string {
  if (n === 1) return slug;
  const suffix = `-${n}`;
  return `${slug.slice(0, MAX_LENGTH - suffix.length).replace(/-+$/, '')}${suffix}`;
}

const PLAIN = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

function plain(text: string): string {
  if (text.length <= MAX_LENGTH && PLAIN.test(text)) return text; // as nearly every suggestion is
  const slug = slugify(text.slice(0, MAX_SUGGESTION).toWellFormed(), { decamelize: false });
  return slug
    .replace(/[^a-z0-9-]+/g, '')
    .replace(/-{2,}/g, '-')
    .slice(0, MAX_LENGTH)
    .replace(/^-+|-+$/g, '');
}
