import { parseMoment } from '../contract/moment.js';

/** The calendar day of a moment; it names folders and URLs, so it must not depend on the server's place. */
export interface Day {
  /** Four digits. */
  readonly year: string;
  /** Two digits. */
  readonly month: string;
  /** Two digits. */
  readonly day: string;
}

/**
 * The day of an ISO 8601 moment; 1970-01-01 for any other text, such as a person may write.
 *
 * @param timeZone IANA name of the time zone in which the day is counted.
 */
export function dayOf(date: string, timeZone = 'UTC'): Day {
  const at = parseMoment(date);
  const moment = new Date(Number.isNaN(at) ? 0 : at);
  const text = timeZone === 'UTC' ? moment.toISOString() : dayFormat(timeZone).format(moment);
  return { year: text.slice(0, 4), month: text.slice(5, 7), day: text.slice(8, 10) };
}

/** The day of a moment as `YYYY-MM-DD`; see `dayOf`. */
export function isoDay(date: string, timeZone?: string): string {
  const { year, month, day } = dayOf(date, timeZone);
  return `${year}-${month}-${day}`;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Made once a time zone: making one takes longer than everything else that is done for a publication. */
function dayFormat(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  formats.set(timeZone, format);
  return format;
}
