const MOMENT = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/i;
const DAY_MS = 86_400_000;

/**
 * The moment of a date with a time, ISO 8601; undefined if the text is not such a date. When clocks are put back, the first of
 * two equal times is meant; when they are put forward, a time in the gap is moved forward with them.
 *
 * @param timeZone IANA name, for a text without an offset from UTC.
 */
export function momentIn(timeZone: string, text: string): string | undefined {
  const [isMoment, date = '', offset] = MOMENT.exec(text) ?? [];
  if (isMoment === undefined || !isDate(date)) return undefined;
  const wanted = Date.parse(offset === undefined ? `${text}Z` : text);
  if (Number.isNaN(wanted)) return undefined;
  return new Date(offset === undefined ? momentOf(timeZone, wanted) : wanted).toISOString();
}

/** `Date.parse` takes 30 February for 2 March. */
function isDate(date: string): boolean {
  const at = Date.parse(date);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(date);
}

/** The moment at which clocks in a time zone show a time. */
function momentOf(timeZone: string, wanted: number): number {
  const before = wanted - distanceAt(timeZone, wanted - DAY_MS);
  const after = wanted - distanceAt(timeZone, wanted + DAY_MS);
  const shown = [before, after].filter((at) => wallClock(timeZone, at) === wanted);
  return shown.length === 0 ? before : Math.min(...shown);
}

/** The offset of a time zone from UTC, in milliseconds. */
function distanceAt(timeZone: string, at: number): number {
  return wallClock(timeZone, at) - at;
}

/** The local time in a time zone, such as `2026-11-27T08:00:00`. @param moment ISO 8601. */
export function localTime(timeZone: string, moment: string): string {
  return new Date(wallClock(timeZone, Date.parse(moment))).toISOString().slice(0, 19);
}

/** The local time in a time zone, as milliseconds that read as UTC. */
function wallClock(timeZone: string, at: number): number {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    fractionalSecondDigits: 3,
  }).formatToParts(at);
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value);
  const [hour, minute, second] = [part('hour'), part('minute'), part('second')];
  return Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    hour,
    minute,
    second,
    part('fractionalSecond'),
  );
}
