import type { SiteInfo } from '../../host/page-types.js';

const ISO = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|[+-]\d\d:?\d\d)?)?$/i;

/** The end of a date that says its zone. */
const ZONE = /:.*(?:Z|[+-]\d\d:?\d\d)$/i;

/** A moment in UTC as most dates are written, on a day that every month has; with or without milliseconds. */
const PLAIN =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{3})?Z$/;

/**
 * The moment that a date in front matter names; UTC where it says no zone, so that every machine builds the
 * same pages. Undefined for anything else: a person's typo is no reason to lose a page.
 */
export function dateOf(date: string): Date | undefined {
  if (PLAIN.test(date)) return new Date(date); // sooner read than remembered
  if (date.length > LONGEST_DATE) return undefined;
  const known = dates.get(date);
  if (known !== undefined) return known.moment;
  if (dates.size >= MOST_MOMENTS) dates.clear();
  const moment = readMoment(date);
  dates.set(date, { moment });
  return moment;
}

/** The moment that a date names, in ms since 1970; undefined for what is no date. */
export function timeOf(date: string): number | undefined {
  return PLAIN.test(date) ? Date.parse(date) : dateOf(date)?.getTime();
}

/** The moment that a date names, as ISO 8601 in UTC with milliseconds; undefined for what is no date. */
export function isoOf(date: string): string | undefined {
  if (!PLAIN.test(date)) return dateOf(date)?.toISOString();
  return date.length === WITH_MILLISECONDS ? date : `${date.slice(0, -1)}.000Z`;
}

const DAY = '2026-11-02'.length;
const WITH_MILLISECONDS = '2026-11-02T08:00:00.000Z'.length;

/** Each date is asked for again and again, by its own page, its neighbours and every list it is on. */
const dates = new Map<string, { readonly moment: Date | undefined }>();
const MOST_MOMENTS = 10_000;

/** Characters of a text that may be a date: what is remembered of texts must not grow with them. */
const LONGEST_DATE = 100;

function readMoment(date: string): Date | undefined {
  const [, day, time = '00:00', zone = 'Z'] = ISO.exec(date.trim()) ?? [];
  if (day === undefined) return undefined;
  const moment = new Date(`${day}T${time}${zone.replace(/^(...)(\d\d)$/, '$1:$2')}`);
  return Number.isNaN(moment.getTime()) ? undefined : moment;
}

/**
 * Writes dates out in the site's words: the day, where it is no date as it stands; and the year, where it is no
 * date nothing. A date without a zone is the day that it says, wherever the site is.
 */
export function dateFormats({ locale, timeZone }: Pick<SiteInfo, 'locale' | 'timeZone'>) {
  return {
    day: formatWith({ dateStyle: 'long' }, (date) => date),
    year: formatWith({ year: 'numeric' }, () => ''),
  };

  function formatWith(options: Intl.DateTimeFormatOptions, otherwise: (date: string) => string) {
    const local = new Intl.DateTimeFormat(locale, { ...options, timeZone });
    const plain = new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' });
    const isUtc = timeZone === 'UTC';
    const known = new Map<string, string>();
    return (date: string): string => {
      if (date.length > LONGEST_DATE) return otherwise(date);
      // In UTC the day itself says how it is written.
      const key = isUtc && PLAIN.test(date) ? date.slice(0, DAY) : date;
      const written = known.get(key);
      if (written !== undefined) return written;
      if (known.size >= MOST_MOMENTS) known.clear();
      const text = write(date);
      known.set(key, text);
      return text;
    };

    function write(date: string): string {
      const moment = dateOf(date);
      if (moment === undefined) return otherwise(date);
      return (ZONE.test(date.trim()) ? local : plain).format(moment);
    }
  }
}
