import type { FileFacts, FrontMatterValue } from '../../article/format/mapping.js';
import { OWN_KEY } from '../../article/format/site-keys.js';
import { mapOf } from '../../article/plain-data.js';
import type { Publication } from '../../article/publication.js';
import type { GeneratorOptions } from '../generator.js';

/** The time zone of a configuration, such as `Europe/Vienna`; undefined if Node.js does not know it. */
export function knownTimeZone(name: string | undefined): string | undefined {
  try {
    if (name !== undefined) offsetFormat(name);
    return name;
  } catch {
    return undefined;
  }
}

/**
 * The offset of a time zone from UTC at a moment, in milliseconds; positive if the zone is ahead.
 *
 * @param at milliseconds since 1970.
 * @throws RangeError if the time zone does not exist.
 */
function offsetAt(at: number, timeZone: string): number {
  if (timeZone === 'UTC') return 0;
  const name = offsetFormat(timeZone)
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')?.value;
  const [, sign, hours = '0', minutes = '0', seconds = '0'] =
    /([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(name ?? 'GMT') ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** The date format of a time zone, created once: creating one takes longer than reading an article file. */
function offsetFormat(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  formats.set(timeZone, format);
  return format;
}

/** The text form of a moment that a generator reads. */
export type MomentText = (local: LocalTime) => string;

/** The text by the site's clock, so that the day that a template cuts out of it is the day in the address. */
export const localText: MomentText = ({ day, time, offset }) =>
  `${day}T${time}${offset === '+00:00' ? 'Z' : offset}`;

/** A date for front matter in the form that the site uses; unchanged if it is not a date. */
export function dateValue(
  iso: string,
  { dates: form, timeZone = 'UTC' }: Pick<GeneratorOptions, 'dates' | 'timeZone'>,
  text: MomentText = form === 'string' ? localText : ({ utc }) => utc,
): FrontMatterValue {
  const local = localTime(iso, timeZone);
  if (local === undefined) return iso;
  const written = form === 'day' || form === 'day-string' ? local.day : text(local);
  return form === 'string' || form === 'day-string' ? written : { kind: 'timestamp', text: written };
}

/** The time of a clock in a time zone. */
export interface LocalTime {
  readonly day: string;
  /** With milliseconds unless they are zero. */
  readonly time: string;
  /** Such as `+09:00`. */
  readonly offset: string;
  /** The moment in UTC, such as `2026-11-20T08:00:00Z`. */
  readonly utc: string;
}

/**
 * The local time of an ISO 8601 moment; a time without an offset is in UTC. Undefined for any other text, and within three days
 * of the first and the last year with four digits, as the local year might have another number of digits.
 */
export function localTime(iso: string, timeZone: string): LocalTime | undefined {
  const at = momentOf(iso, 'UTC');
  const isWritable = at !== undefined && at >= FIRST + 3 * DAY_MS && at <= LAST - 3 * DAY_MS;
  return isWritable ? localTimeAt(at, timeZone) : undefined;
}

function localTimeAt(at: number, timeZone: string): LocalTime {
  const minutes = Math.trunc(offsetAt(at, timeZone) / 60_000);
  const local = Math.min(Math.max(at + minutes * 60_000, FIRST), LAST);
  const [day = '', time = ''] = new Date(local).toISOString().split('T');
  const two = (number: number) => String(Math.trunc(Math.abs(number))).padStart(2, '0');
  const offset = `${minutes < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
  const utc = new Date(at).toISOString().replace('.000Z', 'Z');
  return { day, time: time.replace(/(?:\.000)?Z$/, ''), offset, utc };
}

/** A calendar day, for the names of folders and URLs. */
export interface Day {
  /** Four digits. */
  readonly year: string;
  /** Two digits. */
  readonly month: string;
  /** Two digits. */
  readonly day: string;
}

/**
 * The day of a date: for a moment, the day in a time zone; otherwise the day itself; 1970-01-01 if it is not a date.
 *
 * @param date ISO 8601, or a date as people write it in front matter; a time without an offset is in UTC.
 */
export function dayOf(date: string, timeZone = 'UTC'): Day {
  const at = momentOf(date, timeZone, 'UTC');
  const local = at === undefined ? '1970-01-01' : localTimeAt(at, timeZone).day;
  const [year = '', month = '', day = ''] = local.split('-');
  return { year, month, day };
}

const DATE =
  /^(\d{4}-\d\d-\d\d)(?:(?:[Tt]|[ \t]+)(\d\d:\d\d(?::\d\d)?)(?:[.,](\d{1,3})\d*)?)?[ \t]*(?:(Z|UTC)|([+-]\d\d)(?::?(\d\d))?)?$/i;

/**
 * The moment of a date in front matter, in milliseconds since 1970; undefined if it is not a date.
 *
 * @param timeZone the time zone of days.
 * @param ofTimes the time zone of times without an offset.
 */
export function momentOf(value: unknown, timeZone: string, ofTimes = timeZone): number | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  const [, day, time, fraction = '0', utc, hours, minutes = '00'] = DATE.exec(text) ?? [];
  // Such as `May 2, 2018`, which JavaScript reads in the machine's time zone unless the text has its own.
  if (day === undefined) {
    const isZoned = /[a-z]{3}$|[+-]\d\d:?\d\d$/i.test(text);
    const at = known(Date.parse(isZoned ? text : `${text} UTC`));
    return at === undefined || isZoned ? at : utcOf(at, /\d:\d/.test(text) ? ofTimes : timeZone);
  }
  const at = known(Date.parse(`${day}T${time ?? '00:00'}Z`));
  // JavaScript reads 31 February as a day in March.
  if (at === undefined || new Date(`${day}T00:00Z`).getUTCDate() !== Number(day.slice(8))) return undefined;
  const exact = at + Number(fraction.padEnd(3, '0'));
  if (utc !== undefined) return exact;
  if (hours !== undefined)
    return exact - Number(`${hours[0]}1`) * (Number(hours.slice(1)) * 60 + Number(minutes)) * 60_000;
  return utcOf(exact, time === undefined ? timeZone : ofTimes);
}

/** The moment at which clocks in a time zone show a time, given as if it were in UTC. */
function utcOf(local: number, timeZone: string): number {
  return local - offsetAt(local - offsetAt(local, timeZone), timeZone);
}

/** The first and the last moment in UTC whose year has four digits, in milliseconds since 1970. */
const [FIRST, LAST] = [Date.parse('0000-01-01T00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')];

const DAY_MS = 86_400_000;

/** The moment, if its year has four digits. */
function known(milliseconds: number): number | undefined {
  return milliseconds >= FIRST && milliseconds <= LAST ? milliseconds : undefined;
}

/** The dates in a file that decide when it has a page, unchanged from its front matter. */
export interface WrittenDates {
  readonly from: unknown;
  readonly until: unknown;
}

/**
 * The time span in which a file has a page. A day without a time means the moment at which Pressmark published the article, if
 * that was on the same day; otherwise it begins in the site's time zone.
 *
 * @param ofTimes the time zone of times without an offset. @default the site's time zone
 */
export function publicationOf(
  { from, until }: WrittenDates,
  data: FileFacts['data'],
  timeZone = 'UTC',
  ofTimes = timeZone,
): Publication {
  const published = momentOf(mapOf(data[OWN_KEY]).published, 'UTC');
  const isItsDay = published !== undefined && localTimeAt(published, timeZone).day === from;
  return {
    kind: 'dated',
    from: isItsDay ? published : momentOf(from, timeZone, ofTimes),
    until: momentOf(until, timeZone),
  };
}
