import { localeOf } from './locale.js';

const ISO = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|[+-]\d\d:?\d\d)?)?$/i;

/**
 * The moment that a date in front matter names; UTC where it says no zone, so that every machine builds the
 * same pages. Undefined for anything else: a person's typo is no reason to lose a page.
 */
export function momentOf(date: string): Date | undefined {
  const [, day, time = '00:00', zone = 'Z'] = ISO.exec(date.trim()) ?? [];
  if (day === undefined) return undefined;
  const moment = new Date(`${day}T${time}${zone.replace(/^(...)(\d\d)$/, '$1:$2')}`);
  return Number.isNaN(moment.getTime()) ? undefined : moment;
}

/** Writes dates out in the site's language; what is no date is shown as it stands. */
export function dayFormat(language: string): (date: string) => string {
  const format = new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'long', timeZone: 'UTC' });
  return (date) => {
    const moment = momentOf(date);
    return moment === undefined ? date : format.format(moment);
  };
}
