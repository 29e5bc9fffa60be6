import { parseMoment } from '../contract/moment.js';

/** The calendar day of a moment in UTC; it names folders and URLs, so it must not depend on the server's place. */
export interface Day {
  /** Four digits. */
  readonly year: string;
  /** Two digits. */
  readonly month: string;
  /** Two digits. */
  readonly day: string;
}

/** The day of an ISO 8601 moment; 1970-01-01 for a text that is none, such as a person may write. */
export function dayOf(date: string): Day {
  const at = parseMoment(date);
  const text = new Date(Number.isNaN(at) ? 0 : at).toISOString();
  return { year: text.slice(0, 4), month: text.slice(5, 7), day: text.slice(8, 10) };
}
