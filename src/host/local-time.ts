const MOMENT = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/i;
const DAY_MS = 86_400_000;

/**
 * The moment of a date with a time, ISO 8601; undefined where the text is none. Of a time that the clocks show twice it is the
 * first; one that they leave out is as much later as they are put forward.
 *
 * @param timeZone IANA name: that of a text without an offset from UTC.
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

/** The moment at which the clocks of a time zone show something. */
function momentOf(timeZone: string, wanted: number): number {
  const before = wanted - distanceAt(timeZone, wanted - DAY_MS);
  const after = wanted - distanceAt(timeZone, wanted + DAY_MS);
  const shown = [before, after].filter((at) => wallClock(timeZone, at) === wanted);
  return shown.length === 0 ? before : Math.min(...shown);
}

/** How far the clocks of a time zone are ahead of UTC, in milliseconds. */
function distanceAt(timeZone: string, at: number): number {
  return wallClock(timeZone, at) - at;
}

/** What the clocks of a time zone show at a moment, as `2026-11-27T08:00:00`. @param moment ISO 8601. */
export function localTime(timeZone: string, moment: string): string {
  return new Date(wallClock(timeZone, Date.parse(moment))).toISOString().slice(0, 19);
}

/** What the clocks of a time zone show at a moment, as if it was UTC. */
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
