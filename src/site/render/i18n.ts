import { messageOf, PressmarkError } from '../../errors.js';
import type { SiteInfo } from '../../host/pages/page-types.js';

/** A literal text, or a phrase of the theme: its key in `words/<language>.json`, and the values for its placeholders. */
export type Text = string | { readonly t: string; readonly values?: PhraseValues };

/** The values for a phrase's `{name}` placeholders; numbers are formatted for the site's locale. */
export type PhraseValues = Readonly<Record<string, Text | number>>;

/** Returns the phrase with this key in the site's language. */
export type Translate = (key: string, values?: PhraseValues) => string;

/** Returns the literal text, or the phrase in the site's language. */
export function wordsOf(t: Translate, text: Text): string {
  return typeof text === 'string' ? text : t(text.t, text.values);
}

/**
 * Loads the theme's words in the site's language: each phrase from `words/de-AT.json`, else `words/de.json`, else
 * `words/en.json`.
 *
 * @param themes a later theme overrides an earlier one, language by language.
 * @returns a function that throws TEMPLATE_FAILED for a key that no file has, and for every key if a file cannot be read.
 */
export function translations(
  themes: readonly ReadonlyMap<string, string>[],
  { language, locale }: Pick<SiteInfo, 'language' | 'locale'>,
): Translate {
  const number = new Intl.NumberFormat(locale);
  let words: ReadonlyMap<string, string> | undefined;

  return function t(key, values = {}) {
    words ??= readWords(themes, language);
    const phrase = words.get(key);
    if (phrase === undefined)
      throw new PressmarkError(
        'TEMPLATE_FAILED',
        `words/${language}.json has no ${JSON.stringify(key)}; add it`,
      );
    if (!phrase.includes('{')) return phrase;
    return phrase.replace(/\{(\w+)\}/g, (place, name: string) => {
      const value = values[name];
      if (typeof value === 'number') return number.format(value);
      return value === undefined ? place : wordsOf(t, value);
    });
  };
}

function readWords(
  themes: readonly ReadonlyMap<string, string>[],
  language: string,
): ReadonlyMap<string, string> {
  const names = new Set(['en', new Intl.Locale(language).language, language]);
  const files = [...names].flatMap((name) => themes.map((theme) => readFile(`words/${name}.json`, theme)));
  return new Map(files.flat());
}

function readFile(name: string, sources: ReadonlyMap<string, string>): [string, string][] {
  try {
    const words: unknown = JSON.parse(sources.get(name) ?? '{}');
    const entries = Object.entries(Object(words));
    const odd = entries.find(([, phrase]) => typeof phrase !== 'string');
    if (odd !== undefined) throw new Error(`${JSON.stringify(odd[0])} must be a string`);
    return entries as [string, string][];
  } catch (error) {
    throw new PressmarkError('TEMPLATE_FAILED', `${name}: ${messageOf(error)}`, { cause: error });
  }
}
