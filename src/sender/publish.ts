import fs from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { MAX_BODY_BYTES } from '../contract/limits.js';
import { messageOf, PressmarkError } from '../errors.js';
import { articleId, composeArticle } from './compose.js';
import type { Connector } from './connectors.js';
import { queued } from './delivery.js';
import { type Draft, readDraft } from './draft.js';
import { type Entry, entryId } from './entry.js';
import { hasFrontMatter } from './front-matter.js';
import type { Queue } from './queue.js';
import { envelopeBytes, envelopeOf } from './send-event.js';
import type { SenderState } from './state.js';

/** What became of a file on its way into the queue. */
export type Queued =
  | { readonly path: string; readonly kind: 'queued'; readonly entry: Entry }
  /** It was queued before; `changed`: the file says something else by now. */
  | { readonly path: string; readonly kind: 'known'; readonly entry: Entry; readonly changed: boolean }
  /** Not to be published, or not possible. */
  | { readonly path: string; readonly kind: 'unfinished' }
  | { readonly path: string; readonly kind: 'refused'; readonly reason: string };

/** So many files are read and stored at a time. */
const BATCH = 64;

/** Folders that generators keep drafts, and package managers code in. */
const NO_ARTICLES = new Set(['node_modules', '_drafts', 'drafts']);

/**
 * The Markdown files that were named, and those with front matter in folders that were, sorted. Hidden folders,
 * drafts, Hugo's `_index.md` and symbolic links inside a folder are left out.
 *
 * @throws PressmarkError USAGE where there is no such file or folder.
 */
export function findMarkdown(paths: readonly string[]): string[] {
  const found = paths.flatMap((given) => {
    const path = resolve(given);
    const stat = fs.statSync(path, { throwIfNoEntry: false });
    if (stat === undefined)
      throw new PressmarkError('USAGE', `there is no ${given}; name Markdown files or folders of them`);
    return stat.isDirectory() ? markdownIn(path) : [path];
  });
  return [...new Set(found)];
}

function markdownIn(folder: string): string[] {
  const entries = fs.readdirSync(folder, { withFileTypes: true });
  return entries
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.name.startsWith('.') || NO_ARTICLES.has(entry.name)) return [];
      if (entry.isDirectory()) return markdownIn(path);
      return entry.isFile() && isArticle(entry.name, path) ? [path] : [];
    });
}

function isArticle(name: string, path: string): boolean {
  return /\.(?:md|markdown)$/i.test(name) && name !== '_index.md' && hasFrontMatter(firstLine(path));
}

function firstLine(path: string): string {
  const fd = fs.openSync(path, 'r');
  try {
    const start = Buffer.alloc(64);
    return start.toString('utf8', 0, fs.readSync(fd, start));
  } finally {
    fs.closeSync(fd);
  }
}

/**
 * Queues an article for each file that is not queued yet; those that are stay as they are, so that a run that was cut
 * off is gone on with by doing it again. One that has failed and whose file has changed since is queued anew.
 *
 * @param now milliseconds since the epoch.
 */
export async function* queueFiles(
  queue: Queue,
  state: SenderState,
  connector: Connector,
  paths: readonly string[],
  now: () => number,
): AsyncIterable<Queued> {
  for (let at = 0; at < paths.length; at += BATCH) {
    const batch = paths.slice(at, at + BATCH).map((path) => prepare(state, connector, path, now()));
    const fresh = new Set(
      await queue.add(batch.flatMap((one) => (one.kind === 'queued' ? [one.entry] : []))),
    );
    for (const one of batch) {
      if (one.kind !== 'queued') yield one;
      // The first of two files with one id is the one that was stored.
      else if (fresh.delete(one.entry.id)) yield { path: one.path, kind: 'queued', entry: one.entry };
      else yield await compare(queue, state, connector, one);
    }
  }
}

type Prepared = Exclude<Queued, { kind: 'queued' | 'known' }> | Ready;
interface Ready {
  readonly path: string;
  readonly kind: 'queued';
  readonly draft: Draft;
  readonly entry: Entry;
}

function prepare(state: SenderState, connector: Connector, path: string, now: number): Prepared {
  try {
    const draft = readDraft(path);
    if (draft.unfinished) return { path, kind: 'unfinished' };
    const id = articleId(draft, connector, state.dir, path);
    const timestamp = new Date(now).toISOString();
    const data = { ...composeArticle(draft, connector, id, timestamp) };
    const payload = envelopeOf('article.published', data, timestamp);
    refuseTooLarge(path, envelopeBytes(payload).length);
    const entry: Entry = {
      id: entryId(connector.name, id),
      connector: connector.name,
      source: relative(state.dir, path),
      liveUrl: null,
      note: null,
      record: queued(connector.url, payload, now),
    };
    return { path, kind: 'queued', draft, entry };
  } catch (error) {
    if (!(error instanceof PressmarkError)) throw error;
    return { path, kind: 'refused', reason: messageOf(error) };
  }
}

/**
 * No receiver needs to take a larger request (contract: Errors, 413).
 *
 * @throws PressmarkError ARTICLE_FILE_INVALID
 */
export function refuseTooLarge(path: string, bytes: number): void {
  if (bytes > MAX_BODY_BYTES)
    throw new PressmarkError(
      'ARTICLE_FILE_INVALID',
      `${path}: the article takes ${bytes} bytes as a request; receivers take ${MAX_BODY_BYTES}`,
    );
}

/** What a file is whose delivery is there already. */
async function compare(
  queue: Queue,
  state: SenderState,
  connector: Connector,
  { path, draft, entry }: Ready,
): Promise<Queued> {
  const there = queue.read(entry.id);
  if (there === undefined)
    return {
      path,
      kind: 'refused',
      reason: `${path}: its delivery record ${entry.id}.json cannot be read; mend it or move it away`,
    };
  const other = resolve(state.dir, there.source);
  if (other !== path && fs.existsSync(other))
    return { path, kind: 'refused', reason: `${path}: ${there.source} has the same id, ${draft.id}` };
  const { timestamp, data } = there.record.payload;
  const now = composeArticle(draft, connector, String(data.id), timestamp);
  const changed = JSON.stringify(now) !== JSON.stringify(data);
  if (changed && (await queue.replace(entry))) return { path, kind: 'queued', entry };
  return { path, kind: 'known', entry: there, changed };
}
