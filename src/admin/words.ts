import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_FOLDER } from '../own-package.js';

/** The languages of the admin, each with a file in `words/`. */
export const LANGUAGES = ['en', 'de', 'fr', 'es'] as const;

/** A language of the admin. */
export type Language = (typeof LANGUAGES)[number];

/** The values for `{name}` in a text; `count` also selects singular or plural. */
export type Values = Readonly<Record<string, string | number>>;

/** The texts, times and numbers in one language; see `wordsIn`. */
export interface Words {
  readonly language: Language;
  /** The text of a key such as `articles.title`. @throws an Error if no language has it. */
  t(key: string, values?: Values): string;
  number(value: number): string;
  /** Such as `3 minutes ago`. */
  ago(iso: string): string;
  /** Date and time in the site's time zone. */
  moment(iso: string): string;
  /** A day, such as `2026-11-26`. */
  date(day: string): string;
}

/** A text, or its singular and plural. */
type Phrase = string | Readonly<Record<string, string>>;

const read = new Map<Language, ReadonlyMap<string, Phrase>>();

/** All phrases of a language by their keys. */
export function phrasesOf(language: Language): ReadonlyMap<string, Phrase> {
  const known = read.get(language);
  if (known !== undefined) return known;
  const sections: Record<string, Record<string, Phrase>> = JSON.parse(
    readFileSync(join(PACKAGE_FOLDER, 'src/admin/words', `${language}.json`), 'utf8'),
  );
  const phrases = new Map(
    Object.entries(sections).flatMap(([section, texts]) =>
      Object.entries(texts).map(([key, phrase]) => [`${section}.${key}`, phrase] as const),
    ),
  );
  read.set(language, phrases);
  return phrases;
}

/** The words of a language; missing phrases are in English. @param now the clock for relative times. */
export function wordsIn(language: Language, timeZone: string, now = () => Date.now()): Words {
  const phrases = phrasesOf(language);
  const plural = new Intl.PluralRules(language);
  const numbers = new Intl.NumberFormat(language);
  const distances = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  const moments = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'medium', timeZone });

  const dates = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' });

  function t(key: string, values: Values = {}): string {
    const phrase = phrases.get(key) ?? phrasesOf('en').get(key);
    if (phrase === undefined) throw new Error(`no language has the words ${key}`);
    const count = Number(values.count);
    const text = typeof phrase === 'string' ? phrase : (phrase[plural.select(count)] ?? phrase.other ?? key);
    return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
      const value = values[name];
      return typeof value === 'number' ? numbers.format(value) : (value ?? whole);
    });
  }

  function ago(iso: string): string {
    const seconds = Math.round((Date.parse(iso) - now()) / 1_000);
    if (!Number.isFinite(seconds)) return iso;
    const [size, unit] = UNITS.find(([least]) => Math.abs(seconds) >= least) ?? [1, 'second'];
    return distances.format(Math.trunc(seconds / size), unit);
  }

  function moment(iso: string): string {
    const time = Date.parse(iso);
    return Number.isFinite(time) ? moments.format(time) : iso;
  }

  const date = (day: string) => {
    const time = Date.parse(day);
    return Number.isFinite(time) ? dates.format(time) : day;
  };

  return { language, t, ago, moment, date, number: (value) => numbers.format(value) };
}

const UNITS: readonly (readonly [number, Intl.RelativeTimeFormatUnit])[] = [
  [31_536_000, 'year'],
  [2_592_000, 'month'],
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
];

/** The best language, by `Accept-Language` or by the user's choice. */
export function languageFor(accepted: string): Language {
  const wanted = accepted
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().split(';');
      const quality = parameters.find((one) => one.trim().startsWith('q='));
      return { tag, quality: quality === undefined ? 1 : Number(quality.split('=')[1]) || 0 };
    })
    .filter(({ quality }) => quality > 0)
    .toSorted((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag);
  const first = (tag: string) => tag.toLowerCase().split('-', 1)[0];
  for (const tag of wanted) {
    const language = LANGUAGES.find((one) => one === first(tag));
    if (language !== undefined) return language;
  }
  return 'en';
}
