import { relative } from 'node:path';
import type { FoundMarkdown } from '../../sender/article/find-markdown.js';
import { foresee, type Queued } from '../../sender/publish.js';
import type { SenderState } from '../../sender/state.js';
import { paint, print, printable, printJson } from '../terminal.js';
import type { Sending } from './sending.js';

/** Prints what `publish` would do with each file. */
export function showPlan(sending: Sending, { articles, leftOut }: FoundMarkdown, json: boolean): void {
  const { state, connector, queue, clock } = sending;
  const urlOf = probableUrls(sending);
  const foreseen = foresee(queue, state, connector, articles, clock.now);
  const rows: Plan[] = [
    ...leftOut.map(({ path, why }): Plan => ({ file: relative(state.dir, path), plan: 'left out', why })),
    ...[...foreseen].map((one) => planOf(state, one, urlOf)),
  ];
  if (rows.some(({ plan }) => plan === 'refused')) process.exitCode = 1;
  if (json) {
    printJson(rows, 2);
    return;
  }
  for (const { file, plan, title, slug, url, why, warnings = [] } of rows) {
    const sent =
      slug === undefined ? (url ?? '') : `${title}, as ${slug}${url ? `, probably at ${url}` : ''}`;
    print(
      `${paint(plan === 'refused' ? 'red' : 'bold', plan.padEnd(13))} ${printable(`${file}: ${why ?? sent}`)}`,
    );
    for (const warning of warnings) print(`${paint('yellow', '!'.padStart(13))} ${printable(warning)}`);
  }
  const count = (plan: Plan['plan']) => rows.filter((row) => row.plan === plan).length;
  print(
    `${rows.length} ${rows.length === 1 ? 'file' : 'files'}: ${count('send')} to be sent, ${count('sent before')} sent before, ${count('changed since')} changed since, ${count('left out')} left out, ${count('refused')} refused. Nothing was sent.`,
  );
}

/** What `publish` would do with a file. */
interface Plan {
  readonly file: string;
  readonly plan: 'send' | 'sent before' | 'changed since' | 'left out' | 'refused';
  /** Why it is not sent. */
  readonly why?: string;
  readonly title?: string;
  readonly slug?: string;
  /** For a file that is to be sent: its probable URL, by earlier articles of this receiver. */
  readonly url?: string | null;
  readonly warnings?: readonly string[];
}

function planOf({ dir }: SenderState, one: Queued, urlOf: (slug: string) => string | null): Plan {
  const file = relative(dir, one.path);
  switch (one.kind) {
    case 'queued': {
      const { title, slug } = one.entry.record.payload.data;
      const { warnings } = one.draft;
      return {
        file,
        plan: 'send',
        title: String(title),
        slug: String(slug),
        url: urlOf(String(slug)),
        warnings,
      };
    }
    case 'known':
      return { file, plan: one.changed ? 'changed since' : 'sent before', url: one.entry.liveUrl };
    case 'unfinished':
      return { file, plan: 'left out', why: one.why };
    case 'refused':
      return { file, plan: 'refused', why: one.why };
  }
}

/** The URL that the receiver would give a slug, by the last article with its slug in its URL. */
function probableUrls({ connector: { name }, queue }: Sending): (slug: string) => string | null {
  let last: { timestamp: string; around: string[] } | undefined;
  for (const { connector, liveUrl, record } of queue.list()) {
    const { timestamp, data } = record.payload;
    const around = liveUrl?.split(`/${String(data.slug)}`) ?? [];
    if (connector === name && around.length === 2 && (last?.timestamp ?? '') < timestamp)
      last = { timestamp, around };
  }
  return (slug) => last?.around.join(`/${slug}`) ?? null;
}
