import { relative } from 'node:path';
import type { FoundMarkdown } from '../../sender/article/find-markdown.js';
import { dryRun, type Queued } from '../../sender/publish.js';
import type { SenderState } from '../../sender/state.js';
import { paint, print, printable, printJson } from '../terminal.js';
import { type FileRow, has, leftOutRows, summaryOf, undelivered } from './files.js';
import type { Sending } from './sending.js';

/** What `publish` would do with a file. If it would be sent, `url` is a guess by earlier articles of this receiver. */
interface Plan extends FileRow {
  readonly title?: string;
  readonly slug?: string;
  readonly warnings?: readonly string[];
}

/** Prints what `publish` would do with each file. */
export function showPlan(sending: Sending, found: FoundMarkdown, json: boolean): void {
  const { state, connector, queue, clock } = sending;
  const urlOf = probableUrls(sending);
  const decided = dryRun(queue, state, connector, found.articles, clock.now);
  const rows: Plan[] = [
    ...leftOutRows(state, found),
    ...[...decided].map((one) => planOf(state, one, urlOf)),
  ];
  if (has(rows, 'refused')) process.exitCode = 1;
  if (json) {
    printJson(rows, 2);
    return;
  }
  for (const { file, status, title, slug, url, why, warnings = [] } of rows) {
    const sent =
      slug === undefined ? (url ?? '') : `${title}, as ${slug}${url ? `, probably at ${url}` : ''}`;
    const colour = status === 'refused' ? 'red' : 'bold';
    print(`${paint(colour, status.padEnd(13))} ${printable(`${file}: ${why ?? sent}`)}`);
    for (const warning of warnings) print(`${paint('yellow', '!'.padStart(13))} ${printable(warning)}`);
  }
  print(`${summaryOf(rows)}. Nothing was sent.`);
}

function planOf(state: SenderState, one: Queued, urlOf: (slug: string) => string | null): Plan {
  if (!('entry' in one)) return undelivered(state, one);
  const { entry, draft } = one;
  const file = relative(state.dir, one.path);
  if (one.kind === 'known')
    return { file, status: one.changed ? 'changed since' : 'sent before', why: null, url: entry.liveUrl };
  const [title, slug] = [String(entry.record.payload.data.title), String(entry.record.payload.data.slug)];
  const { warnings } = draft;
  return { file, status: 'to be sent', why: null, url: urlOf(slug), title, slug, warnings };
}

/** Guesses the URL that the receiver would give a slug, from the last article with its slug in its URL. */
function probableUrls({ connector: { name }, queue }: Sending): (slug: string) => string | null {
  let last: { timestamp: string; around: string[] } | undefined;
  for (const { liveUrl, record } of queue.list(({ connector }) => connector === name)) {
    const { timestamp, data } = record.payload;
    const around = liveUrl?.split(`/${String(data.slug)}`) ?? [];
    if (around.length === 2 && (last?.timestamp ?? '') < timestamp) last = { timestamp, around };
  }
  return (slug) => last?.around.join(`/${slug}`) ?? null;
}
