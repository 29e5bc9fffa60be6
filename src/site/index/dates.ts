import type { SiteInfo } from '../../host/pages/page-types.js';

const ISO = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|[+-]\d\d:?\d\d)?)?$/i;

/** The end of a date that says its zone. */
const ZONE = /:.*(?:Z|[+-]\d\d:?\d\d)$/i;

/**
 * The moment that a date in front matter names; UTC where it says no zone, so that every machine builds the
 * same pages. Undefined for anything else: a person's typo does not cost the page.
 */
export function dateOf(date: string): Date | undefined {
  const [, day, time = '00:00', zone = 'Z'] = ISO.exec(date.trim()) ?? [];
  if (day === undefined) return undefined;
  const moment = new Date(`${day}T${time}${zone.replace(/^(...)(\d\d)$/, '$1:$2')}`);
  return Number.isNaN(moment.getTime()) ? undefined : moment;
}

/** The moment that a date names, as ISO 8601 in UTC with milliseconds; undefined for a text that is not a date. */
export function isoOf(date: string): string | undefined {
  return dateOf(date)?.toISOString();
}

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
    return (text: string): string => {
      const moment = dateOf(text);
      return moment === undefined ? otherwise(text) : (ZONE.test(text.trim()) ? local : plain).format(moment);
    };
  }
}
