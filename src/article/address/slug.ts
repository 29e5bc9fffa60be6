import { hash } from 'node:crypto';
import { createRequire } from 'node:module';
import type Library from '@sindresorhus/slugify';
import { isReservedSlug } from './reserved.js';

/** The longest slug, in characters. */
const MAX_LENGTH = 80;

/** The longest slug in UTF-8, in bytes: with a date before it, a file name stays far below the 255 of file systems. */
const MAX_BYTES = 180;

/** The part of a suggestion that is read, in characters, so that a million hostile ones cost no time. */
const MAX_SUGGESTION = 400;

/**
 * Makes a safe file name and URL segment: lowercase letters and digits of any script, in NFC, with single hyphens; 1 to 80
 * characters and at most 180 bytes; never a path, a reserved name or empty. The same input always gives the same slug.
 *
 * @param suggestion the service's suggestion, any text.
 * @param title used if nothing remains of the suggestion.
 * @param id used as a hash if nothing remains of both.
 */
export function slugOf(suggestion: string, title: string, id: string): string {
  const slug = slugText(suggestion) || slugText(title) || `article-${hash('sha256', id).slice(0, 12)}`;
  return isReservedSlug(slug) ? `${slug}-article` : slug;
}

/**
 * The same in ASCII: letters are transliterated, and left out if that is not possible.
 *
 * @param language the language of the letters, as a language tag: `ö` is `oe` in German and `o` in Turkish.
 */
export function asciiSlugOf(suggestion: string, title: string, id: string, language: string): string {
  return slugOf(asciiSlugText(suggestion, language) || asciiSlugText(title, language), '', id);
}

/** The n-th alternative of a slug: `name`, `name-2`, `name-3`, … */
export function numbered(slug: string, n: number): string {
  if (n === 1) return slug;
  const suffix = `-${n}`;
  return `${bounded(slug, suffix.length)}${suffix}`;
}

const PLAIN = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Makes a slug of a text; empty if no character is possible in a slug. */
export function slugText(text: string): string {
  if (text.length <= MAX_LENGTH && PLAIN.test(text)) return text; // true for nearly every suggestion
  const letters = text
    .slice(0, MAX_SUGGESTION)
    .toWellFormed()
    // NFKC, so that similar letters have one form: disks that ignore case treat more than case as equal.
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFKC')
    .replace(/i\u0307/g, 'i') // from a Turkish İ
    .replace(/(?<=\p{L})['’"״׳](?=\p{L})/gu, '')
    .replace(/\u200c/g, '-') // between the parts of a Persian word
    .replace(/\p{Default_Ignorable_Code_Point}+/gu, '')
    .replace(/[^\p{L}\p{M}\p{Nd}\u3007]+/gu, '-') // U+3007, the zero of Chinese years, is not in \p{L}
    .replace(/(?<![^-])\p{M}+/gu, '')
    .normalize('NFC')
    .replace(/-{2,}/g, '-')
    .replace(/^-/, '');
  return bounded(letters, 0);
}

/** The beginning of a slug that leaves room for a suffix, without half a letter or a hyphen at its end. */
function bounded(slug: string, room: number): string {
  let length = 0;
  let bytes = 0;
  let end = 0;
  for (const letter of slug) {
    bytes += Buffer.byteLength(letter);
    if (++length > MAX_LENGTH - room || bytes > MAX_BYTES - room) {
      // The accents of a removed letter are removed with it.
      const kept = slug.slice(0, end);
      return (/^\p{M}/u.test(letter) ? kept.replace(/\P{M}\p{M}*$/u, '') : kept).replace(/-$/, '');
    }
    end += letter.length;
  }
  return slug.replace(/-$/, '');
}

/** The same in ASCII. */
export function asciiSlugText(text: string, language: string): string {
  const cut = text.slice(0, MAX_SUGGESTION).toWellFormed().normalize('NFC');
  return slugText(slugify(cut, { decamelize: false, locale: language }).replace(/[^a-z0-9-]+/g, ''));
}

let library: typeof Library | undefined;

/**
 * Transliterates a text to ASCII. The library is loaded when it is first needed, as it compiles patterns of thousands of
 * letters.
 */
export const slugify: typeof Library = (text, options) => {
  library ??= (createRequire(import.meta.url)('@sindresorhus/slugify') as { default: typeof Library })
    .default;
  return library(text, options);
};
