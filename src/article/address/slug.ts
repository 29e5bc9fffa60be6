import { hash } from 'node:crypto';
import { createRequire } from 'node:module';
import type Library from '@sindresorhus/slugify';
import { isReservedSlug } from './reserved.js';

/** Longest slug, in characters. */
const MAX_LENGTH = 80;

/** Longest slug in UTF-8, in bytes: with a date before it, the name of a file stays far below the 255 of file systems. */
const MAX_BYTES = 180;

/** A suggestion is cut before anything else, so that a million hostile characters cost no time. */
const MAX_SUGGESTION = 400;

/**
 * A safe file name and URL segment: lowercase letters and digits of any script, in NFC, with single hyphens; 1 to 80
 * characters and at most 180 bytes; never a path, a reserved name or empty. The same input always gives the same slug.
 *
 * @param suggestion the service's suggestion, any text.
 * @param title taken where nothing of the suggestion is left.
 * @param id names the article where neither leaves anything; never shown itself.
 */
export function slugOf(suggestion: string, title: string, id: string): string {
  const slug = slugText(suggestion) || slugText(title) || `article-${hash('sha256', id).slice(0, 12)}`;
  return isReservedSlug(slug) ? `${slug}-article` : slug;
}

/**
 * The same in ASCII alone: letters are transliterated, and those of scripts that cannot be are left out.
 *
 * @param language whose letters they are, as a language tag: `ö` is `oe` in German and `o` in Turkish.
 */
export function asciiSlugOf(suggestion: string, title: string, id: string, language: string): string {
  return slugOf(asciiSlugText(suggestion, language) || asciiSlugText(title, language), '', id);
}

/** The n-th alternative of a slug that is taken: `name`, `name-2`, `name-3`, … */
export function numbered(slug: string, n: number): string {
  if (n === 1) return slug;
  const suffix = `-${n}`;
  return `${bounded(slug, suffix.length)}${suffix}`;
}

const PLAIN = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** What of a text can stand in a slug; empty if that is nothing. */
export function slugText(text: string): string {
  if (text.length <= MAX_LENGTH && PLAIN.test(text)) return text; // as nearly every suggestion is
  const letters = text
    .slice(0, MAX_SUGGESTION)
    .toWellFormed()
    // Also one form of letters that look alike: a disk that ignores case takes more than case for the same.
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFKC')
    .replace(/i\u0307/g, 'i') // of a Turkish İ
    .replace(/(?<=\p{L})['’"״׳](?=\p{L})/gu, '')
    .replace(/\u200c/g, '-') // between the parts of a Persian word
    .replace(/\p{Default_Ignorable_Code_Point}+/gu, '')
    .replace(/[^\p{L}\p{M}\p{Nd}\u3007]+/gu, '-') // the zero of Chinese years is a letter to nobody
    .replace(/(?<![^-])\p{M}+/gu, '')
    .normalize('NFC')
    .replace(/-{2,}/g, '-')
    .replace(/^-/, '');
  return bounded(letters, 0);
}

/** The beginning of a slug that leaves room for so many further characters, without half a letter or a hyphen at its end. */
function bounded(slug: string, room: number): string {
  let length = 0;
  let bytes = 0;
  let end = 0;
  for (const letter of slug) {
    bytes += Buffer.byteLength(letter);
    if (++length > MAX_LENGTH - room || bytes > MAX_BYTES - room) {
      // The accents of a letter go with it.
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

/** A text in the letters of a URL. The library is loaded when it is first needed: it makes patterns of thousands of letters. */
export const slugify: typeof Library = (text, options) => {
  library ??= (createRequire(import.meta.url)('@sindresorhus/slugify') as { default: typeof Library })
    .default;
  return library(text, options);
};
