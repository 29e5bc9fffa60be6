import type { SiteInfo } from '../host/page-types.js';

const ISO = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|[+-]\d\d:?\d\d)?)?$/i;

/** The end of a date that says its zone. */
const ZONE = /:.*(?:Z|[+-]\d\d:?\d\d)$/i;

/**
 * The moment that a date in front matter names; UTC where it says no zone, so that every machine builds the
 * same pages. Undefined for anything else: a person's typo is no reason to lose a page.
 */
export function momentOf(date: string): Date | undefined {
  const known = moments.get(date);
  if (known !== undefined) return known.moment;
  if (moments.size >= MOST_MOMENTS) moments.clear();
  const moment = readMoment(date);
  moments.set(date, { moment });
  return moment;
}

/** Each date is asked for again and again, by its own page, its neighbours and every list it is on. */
const moments = new Map<string, { readonly moment: Date | undefined }>();
const MOST_MOMENTS = 10_000;

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
    const known = new Map<string, string>();
    return (date: string): string => {
      const text = known.get(date) ?? write(date);
      if (known.size >= MOST_MOMENTS) known.clear();
      known.set(date, text);
      return text;
    };

    function write(date: string): string {
      const moment = momentOf(date);
      if (moment === undefined) return otherwise(date);
      return (ZONE.test(date.trim()) ? local : plain).format(moment);
    }
  }
}
