import type { SiteInfo } from '../../host/page-types.js';

const ISO = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|[+-]\d\d:?\d\d)?)?$/i;

/** The end of a date that says its zone. */
const ZONE = /:.*(?:Z|[+-]\d\d:?\d\d)$/i;

/** A moment in UTC as most dates are written, on a day that every month has; with or without milliseconds. */
const PLAIN =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{3})?Z$/;

const WITH_MILLISECONDS = '2026-11-02T08:00:00.000Z'.length;

/** Dates of which it is remembered how they are written out. */
const MOST_REMEMBERED = 10_000;

/**
 * The moment that a date in front matter names; UTC where it says no zone, so that every machine builds the
 * same pages. Undefined for anything else: a person's typo does not cost the page.
 */
export function dateOf(date: string): Date | undefined {
  if (PLAIN.test(date)) return new Date(date); // a start reads the dates of all articles
  const [, day, time = '00:00', zone = 'Z'] = ISO.exec(date.trim()) ?? [];
  if (day === undefined) return undefined;
  const moment = new Date(`${day}T${time}${zone.replace(/^(...)(\d\d)$/, '$1:$2')}`);
  return Number.isNaN(moment.getTime()) ? undefined : moment;
}

/** The moment that a date names, in ms since 1970; undefined for a text that is not a date. */
export function timeOf(date: string): number | undefined {
  return dateOf(date)?.getTime();
}

/** The moment that a date names, as ISO 8601 in UTC with milliseconds; undefined for a text that is not a date. */
export function isoOf(date: string): string | undefined {
  if (!PLAIN.test(date)) return dateOf(date)?.toISOString();
  // Nothing is to be read: a page asks for a dozen dates, its own and those of the articles that it links.
  return date.length === WITH_MILLISECONDS ? date : `${date.slice(0, -1)}.000Z`;
}

/** Writes dates out in the site's words; see `dateFormats`. */
export type DateFormats = ReturnType<typeof dateFormats>;

/**
 * Writes dates out in the site's words. What is not a date stays as it is where a day is wanted, and is left out where a
 * year is wanted. A date without a zone is the day that it says, wherever the site is.
 */
export function dateFormats({ locale, timeZone }: Pick<SiteInfo, 'locale' | 'timeZone'>) {
  return {
    day: formatWith({ dateStyle: 'long' }, (date) => date),
    monthDay: formatWith({ month: 'long', day: 'numeric' }, (date) => date),
    year: formatWith({ year: 'numeric' }, () => ''),
  };

  function formatWith(options: Intl.DateTimeFormatOptions, otherwise: (date: string) => string) {
    const local = new Intl.DateTimeFormat(locale, { ...options, timeZone });
    const plain = new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' });
    /** An article's date is written on its page, on those of its neighbours and on every list. */
    const remembered = new Map<string, string>();
    return (text: string): string => {
      const date = text.trim();
      const known = remembered.get(date);
      if (known !== undefined) return known;
      const moment = dateOf(date);
      if (moment === undefined) return otherwise(text);
      const written = (ZONE.test(date) ? local : plain).format(moment);
      if (remembered.size === MOST_REMEMBERED) remembered.clear();
      remembered.set(date, written);
      return written;
    };
  }
}
