import { relative } from 'node:path';
import type { FoundMarkdown } from '../../sender/article/find-markdown.js';
import type { Queued } from '../../sender/publish.js';
import type { Entry } from '../../sender/queue/entry.js';
import type { SenderState } from '../../sender/state.js';

/** The statuses of a file, in the order of summaries. */
const STATUSES = [
  ...(['to be sent', 'delivered', 'refreshed', 'waiting', 'failed'] as const),
  ...(['sent before', 'changed since', 'unchanged', 'not delivered yet', 'refused', 'left out'] as const),
];

/** The output for a file. */
export interface FileRow {
  /** The path below the sender's folder. */
  readonly file: string;
  readonly status: (typeof STATUSES)[number];
  /** The reason why the file is not delivered. */
  readonly why: string | null;
  /** The article's public URL. */
  readonly url: string | null;
  /** The id of the file's delivery. */
  readonly delivery?: string;
}

/** Rows for files that look like articles but are left out. */
export function leftOutRows({ dir }: SenderState, { leftOut }: FoundMarkdown): FileRow[] {
  return leftOut.map(({ path, why }) => ({ file: relative(dir, path), status: 'left out', why, url: null }));
}

type Unsent = Extract<Queued, { readonly why: string }>;

/** The row of a file without a delivery. */
export function undelivered({ dir }: SenderState, { path, kind, why }: Unsent): FileRow {
  return { file: relative(dir, path), status: kind === 'refused' ? 'refused' : 'left out', why, url: null };
}

/** The row of a file with its current delivery. @param landed the word for a success. */
export function deliveredRow(file: string, entry: Entry, landed: 'delivered' | 'refreshed'): FileRow {
  const { status, lastError: why } = entry.record;
  const open = status === 'failed' ? 'failed' : 'waiting';
  return {
    ...{ file, status: status === 'success' ? landed : open, why },
    ...{ url: entry.liveUrl, delivery: entry.id },
  };
}

/** "4 files: 2 delivered, 2 left out". */
export function summaryOf(rows: readonly FileRow[]): string {
  const parts = STATUSES.flatMap((status) => {
    const count = rows.filter((row) => row.status === status).length;
    return count === 0 ? [] : [`${count} ${status}`];
  });
  return `${rows.length} ${rows.length === 1 ? 'file' : 'files'}: ${parts.join(', ')}`;
}

/** Whether a row has one of these statuses. */
export function has(rows: readonly FileRow[], ...statuses: readonly FileRow['status'][]): boolean {
  return rows.some(({ status }) => statuses.includes(status));
}
