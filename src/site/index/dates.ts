import type { SiteInfo } from '../../host/pages/page-types.js';

const ISO = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|[+-]\d\d:?\d\d)?)?$/i;

/** The end of a date with a time zone. */
const ZONE = /:.*(?:Z|[+-]\d\d:?\d\d)$/i;

/**
 * Parses a date in front matter, by default in UTC, so that every machine builds the same pages. Undefined if it is invalid, so
 * that a typo does not prevent the page.
 */
export function dateOf(date: string): Date | undefined {
  const [, day, time = '00:00', zone = 'Z'] = ISO.exec(date.trim()) ?? [];
  if (day === undefined) return undefined;
  const moment = new Date(`${day}T${time}${zone.replace(/^(...)(\d\d)$/, '$1:$2')}`);
  return Number.isNaN(moment.getTime()) ? undefined : moment;
}

/** Converts a date to ISO 8601 in UTC with milliseconds; undefined if it is invalid. */
export function isoOf(date: string): string | undefined {
  return dateOf(date)?.toISOString();
}

/**
 * Returns functions that format dates in the site's language. For an invalid date, days are the unchanged text, and years are
 * empty. A date without a zone is formatted as the day that it names, whatever the site's zone.
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
    return (text: string): string => {
      const moment = dateOf(text);
      return moment === undefined ? otherwise(text) : (ZONE.test(text.trim()) ? local : plain).format(moment);
    };
  }
}
