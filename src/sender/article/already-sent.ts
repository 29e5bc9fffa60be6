import fs from 'node:fs';
import { resolve } from 'node:path';
import type { UpdateData } from '../../contract/envelope.js';
import type { Connector } from '../connectors.js';
import type { Envelope } from '../delivery/send-event.js';
import { type Entry, entryId } from '../queue/entry.js';
import type { Queue } from '../queue/queue.js';
import { composeArticle, composeUpdate } from './compose.js';
import type { Draft } from './draft.js';

/** When an article was published from here, by the id that the receiver has for it; ISO 8601. */
export function publishedAt(queue: Queue, connector: Connector, id: string): string | undefined {
  return queue.read(entryId(connector.name, id))?.record.payload.timestamp;
}

/** Whether a file would make what was sent. */
export function saysTheSame(
  queue: Queue,
  draft: Draft,
  connector: Connector,
  { event, timestamp, data }: Envelope,
): boolean {
  const text = (key: string) => String(data[key]);
  const target = {
    id: text('target_id'),
    url: text('target_url'),
    revision_id: text('base_revision_id'),
    title: '',
    content_html: text('content_html'), // the comments that the update kept
  };
  const { target_url: _, ...composed }: Partial<UpdateData> =
    event === 'article.updated'
      ? composeUpdate(
          draft,
          connector,
          target,
          text('id'),
          timestamp,
          publishedAt(queue, connector, target.id),
        )
      : composeArticle(draft, connector, text('id'), timestamp);
  // A canonical URL may have another: of two slashes at its end one is dropped.
  const { target_url: __, ...sent } = data;
  return JSON.stringify(composed) === JSON.stringify(sent);
}

/** By Markdown file, the last refresh that landed or is still to be sent; looked for when it is first asked for. */
export function lastRefreshes(queue: Queue, connector: Connector): () => ReadonlyMap<string, Envelope> {
  let found: Map<string, Envelope> | undefined;
  return () => {
    if (found !== undefined) return found;
    found = new Map();
    for (const { connector: name, source, record } of queue.list()) {
      const { status, payload } = record;
      if (name !== connector.name || status === 'failed' || payload.event !== 'article.updated') continue;
      const earlier = found.get(source);
      if (earlier === undefined || earlier.timestamp < payload.timestamp) found.set(source, payload);
    }
    return found;
  };
}

/** An article that was published from another file. */
export interface OfOtherFile {
  readonly entry: Entry;
  /** Whether that file is there no more. */
  readonly isGone: boolean;
}

/**
 * The article that a file without a delivery of its own may have been before it was renamed or copied: one with its title
 * and its text, or one with its title whose own file is gone.
 *
 * @param dir the sender's folder.
 */
export function articlesOfOtherFiles(queue: Queue, connector: Connector, dir: string) {
  let idsByTitle: Map<string, string[]> | undefined;
  const idsWith = (title: string): readonly string[] => {
    if (idsByTitle === undefined) {
      idsByTitle = new Map();
      for (const { id, connector: name, record } of queue.list()) {
        const { event, data } = record.payload;
        if (name !== connector.name || event !== 'article.published') continue;
        idsByTitle.set(String(data.title), [...(idsByTitle.get(String(data.title)) ?? []), id]);
      }
    }
    return idsByTitle.get(title) ?? [];
  };
  return (draft: Draft): OfOtherFile | undefined => {
    if (draft.title === '') return undefined;
    const sameTitle = idsWith(draft.title)
      .map((id) => queue.read(id))
      .filter((entry) => entry !== undefined)
      .map((entry) => ({ entry, isGone: !fs.existsSync(resolve(dir, entry.source)) }));
    return (
      sameTitle.find(({ entry: { record } }) =>
        saysTheSame(queue, withSlugOf(record.payload, draft), connector, record.payload),
      ) ?? sameTitle.find(({ isGone }) => isGone)
    );
  };
}

/** The draft with the slug that was sent: an article keeps it when its file is renamed. */
export function withSlugOf({ data }: Envelope, draft: Draft): Draft {
  return { ...draft, slug: String(data.slug) };
}
