const MOMENT = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(?:(:\d\d)(?:[.,](\d+))?)?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;
const FIRST = Date.parse('0000-01-01T00:00:00Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Milliseconds since the epoch of an ISO 8601 moment in the extended form: a date, or a date and a time to the minute, the
 * second or any part of a second, in UTC without an offset. The year has four digits, as folders are named after it.
 *
 * @returns NaN if the text is not such a moment.
 */
export function parseMoment(text: string): number {
  const at = parse(text);
  // An offset can lead to a year of fewer or more than four digits.
  return at >= FIRST && at <= LAST && isDayOfItsMonth(text) ? at : Number.NaN;
}

/** Whether the date is in the calendar. `Date.parse` accepts day 31 in every month, and counts into the next one. */
function isDayOfItsMonth(text: string): boolean {
  const day = Number(text.slice(8, 10));
  return day <= 28 || new Date(text.slice(0, 10)).getUTCDate() === day;
}

function parse(text: string): number {
  const [, day, time, seconds = ':00', fraction = '0', zone = 'Z'] = MOMENT.exec(text) ?? [];
  if (day === undefined) return Number.NaN;
  if (time === undefined) return Date.parse(day);
  const offset = /^z$/i.test(zone) ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '') || '00'}`;
  return Date.parse(`${day}T${time}${seconds}.${fraction.slice(0, 3)}${offset}`);
}

/** Whether a text is an ISO 8601 moment. */
export function isMoment(text: string): boolean {
  return !Number.isNaN(parseMoment(text));
}
