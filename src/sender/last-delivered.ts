import fs from 'node:fs';
import { relative, resolve } from 'node:path';
import type { LookupTarget } from '../contract/answers.js';
import { quote } from '../errors.js';
import type { Connector } from './connectors.js';
import type { Envelope } from './delivery/send-event.js';
import type { Entry } from './queue/entry.js';
import type { Queue } from './queue/queue.js';
import type { SenderState } from './state.js';

/** So much of a text is shown before the place where two texts differ, in characters. */
const CONTEXT = 30;
/** So much of a difference is shown, in characters. */
const MOST_SHOWN = 120;

/** What went to a receiver for one article. */
export interface Delivered {
  /** The last delivery that landed; undefined if none did from here. */
  readonly last: Entry | undefined;
  /** Revisions that the article may have without a change of anybody else's. */
  readonly revisions: ReadonlySet<string>;
}

/**
 * What this sender knows of an article that is to be refreshed.
 *
 * @param id the id that the receiver has for the article.
 */
export function deliveredBefore(queue: Queue, connector: Connector, id: string): Delivered {
  const ours = [...queue.list((one) => one.connector === connector.name && one.article === id)];
  const last = ours
    .filter(({ record }) => record.status === 'success')
    .sort((a, b) => (momentOf(a) < momentOf(b) ? 1 : -1))[0];
  // An update whose answer was lost may have landed.
  const possible = ours.filter((one) => one === last || one.record.status !== 'success');
  const revisions = possible.flatMap(({ record: { payload } }) =>
    payload.event === 'article.updated' ? [String(payload.data.revision_id)] : [],
  );
  return { last, revisions: new Set(revisions) };
}

/** For the order of deliveries: at the same moment a publication comes before the update. */
function momentOf({ record: { payload } }: Entry): string {
  return `${payload.timestamp} ${payload.event}`;
}

/**
 * Why an article is not replaced without being asked twice: it is not what was delivered last, or comes from another
 * file.
 *
 * @param path the file that is to replace it, absolute.
 * @returns undefined if it may be replaced, or the article is unknown.
 */
export function reasonToKeep(
  { last, revisions }: Delivered,
  target: LookupTarget,
  state: SenderState,
  path: string,
): string | undefined {
  if (last === undefined) return undefined;
  const source = relative(state.dir, path);
  // A file that is gone has been renamed.
  if (last.source !== source && fs.existsSync(resolve(state.dir, last.source)))
    return `the article was made from ${quote(last.source, 200)}, not from ${quote(source, 200)}`;
  if (revisions.has(target.revision_id)) return undefined;
  const { payload } = last.record;
  const difference = differenceOf(payload, target);
  if (difference !== undefined) return `the article is not what was delivered last from here: ${difference}`;
  // What revision a publish has made, no answer says: then the text alone counts.
  return payload.event === 'article.published'
    ? undefined
    : `the article has been changed since it was delivered from here: its revision was ${quote(payload.data.revision_id, 80)} and is ${quote(target.revision_id, 80)}`;
}

/** Where title or text differ, both in a few words; undefined if they are the same. */
function differenceOf({ data }: Envelope, { title, content_html: html }: LookupTarget): string | undefined {
  const [sentTitle, sentHtml] = [String(data.title), String(data.content_html)];
  // A receiver gives an article without a title one of its own.
  if (sentTitle !== '' && plain(sentTitle) !== plain(title)) return inWords('title', sentTitle, title);
  if (plain(sentHtml) === plain(html)) return undefined;
  return inWords('text', plain(sentHtml), plain(html));
}

/** A text reduced to what a reader notices: no comments, white space as one space. */
function plain(html: string): string {
  return html.split('<!--').map(afterComment).join('').replace(/\s+/g, ' ').trim();
}

function afterComment(piece: string, index: number): string {
  const end = index === 0 ? -1 : piece.indexOf('-->');
  return end === -1 ? piece : piece.slice(end + 3);
}

/** What both texts say from where they part on, and a little before. */
function inWords(what: string, was: string, is: string): string {
  let at = 0;
  while (at < was.length && was[at] === is[at]) at++;
  const from = Math.max(0, at - CONTEXT);
  const to = from + MOST_SHOWN;
  const part = (text: string) =>
    quote(`${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`, 200);
  return `its ${what} was ${part(was)} and is ${part(is)}`;
}
