/** Whether this is the IANA name of a time zone that Node knows, such as `Europe/Vienna`. */
export function isTimeZone(name: string): boolean {
  try {
    return offsetFormat(name) !== undefined;
  } catch {
    return false;
  }
}

/** A time zone that a configuration names; undefined for one that Node does not know. */
export function knownTimeZone(name: string | undefined): string | undefined {
  return name !== undefined && isTimeZone(name) ? name : undefined;
}

/**
 * Milliseconds by which a time zone is ahead of UTC at a moment.
 *
 * @param at milliseconds since 1970.
 * @throws RangeError where the name is not that of a time zone.
 */
export function offsetAt(at: number, timeZone: string): number {
  if (timeZone === 'UTC') return 0;
  const name = offsetFormat(timeZone)
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')?.value;
  const [, sign, hours = '0', minutes = '0', seconds = '0'] =
    /([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(name ?? 'GMT') ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Made once a time zone: making one takes longer than reading an article file. */
function offsetFormat(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  formats.set(timeZone, format);
  return format;
}
