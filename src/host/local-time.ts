/**
 * The moment of a date with a time, ISO 8601; undefined where the text is none.
 *
 * @param timeZone IANA name: that of a text without an offset from UTC.
 */
export function momentIn(timeZone: string, text: string): string | undefined {
  const [isMoment, offset] =
    /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/i.exec(text) ?? [];
  const wanted = isMoment === undefined ? Number.NaN : Date.parse(offset === undefined ? `${text}Z` : text);
  if (Number.isNaN(wanted)) return undefined;
  let at = wanted;
  // A second time, as the zone's distance from UTC may differ between the two.
  if (offset === undefined) for (let round = 0; round < 2; round++) at += wanted - wallClock(timeZone, at);
  return new Date(at).toISOString();
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
  }).formatToParts(at);
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value);
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
}
