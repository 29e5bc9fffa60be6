import fs from 'node:fs';
import { relative, resolve } from 'node:path';
import type { LookupTarget } from '../contract/answers.js';
import { quote } from '../errors.js';
import type { Connector } from './connectors.js';
import type { Envelope } from './delivery/send-event.js';
import { type Entry, isOfArticle } from './queue/entry.js';
import type { Summary } from './queue/entry-files.js';
import type { Queue } from './queue/queue.js';
import type { SenderState } from './state.js';

/** How much of a text is shown before a difference, in characters. */
const CONTEXT = 30;
/** How much of a difference is shown, in characters. */
const MOST_SHOWN = 120;

/** The earlier deliveries of an article. */
export interface Delivered {
  /** The last successful delivery; undefined if there was none from here. */
  readonly last: Entry | undefined;
  /** The revisions that the article may have if nobody else has changed it. */
  readonly revisions: ReadonlySet<string>;
}

/** The earlier deliveries of an article that is to be refreshed; the receiver may have given it an id of its own. */
export function deliveredBefore(
  queue: Queue,
  { name }: Connector,
  { id, url }: Pick<LookupTarget, 'id' | 'url'>,
): Delivered {
  const isOfIt = (one: Summary) =>
    one.connector === name && (one.article === id || isOfArticle(one, name, url));
  const ours = [...queue.list(isOfIt)];
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

/** The moment that orders deliveries: at the same time, a publication comes before the update. */
function momentOf({ record: { payload } }: Entry): string {
  return `${payload.timestamp} ${payload.event}`;
}

/**
 * Why an article is not replaced without `force`: it differs from the last delivery, or comes from another file.
 *
 * @param path the file that would replace it, absolute.
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
  // A missing file has been renamed.
  if (last.source !== source && fs.existsSync(resolve(state.dir, last.source)))
    return `the article was made from ${quote(last.source, 200)}, not from ${quote(source, 200)}`;
  if (revisions.has(target.revision_id)) return undefined;
  const { payload } = last.record;
  const difference = differenceOf(payload, target);
  if (difference !== undefined) return `the article is not what was delivered last from here: ${difference}`;
  // No answer contains the revision that a publish has made, so only the text counts.
  return payload.event === 'article.published'
    ? undefined
    : `the article has been changed since it was delivered from here: its revision was ${quote(payload.data.revision_id, 80)} and is ${quote(target.revision_id, 80)}`;
}

/** Describes the first difference in title or text; undefined if they are equal. */
function differenceOf({ data }: Envelope, { title, content_html: html }: LookupTarget): string | undefined {
  const [sentTitle, sentHtml] = [String(data.title), String(data.content_html)];
  // Receivers give an article without a title one of their own.
  if (sentTitle !== '' && plain(sentTitle) !== plain(title)) return inWords('title', sentTitle, title);
  if (plain(sentHtml) === plain(html)) return undefined;
  return inWords('text', plain(sentHtml), plain(html));
}

/** Reduces a text to the visible part: without comments, with runs of white space as one space. */
function plain(html: string): string {
  return html.split('<!--').map(afterComment).join('').replace(/\s+/g, ' ').trim();
}

function afterComment(piece: string, index: number): string {
  const end = index === 0 ? -1 : piece.indexOf('-->');
  return end === -1 ? piece : piece.slice(end + 3);
}

/** Shows both texts from their first difference, with a little text before it. */
function inWords(what: string, was: string, is: string): string {
  let at = 0;
  while (at < was.length && was[at] === is[at]) at++;
  const from = Math.max(0, at - CONTEXT);
  const to = from + MOST_SHOWN;
  const part = (text: string) =>
    quote(`${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`, 200);
  return `its ${what} was ${part(was)} and is ${part(is)}`;
}
