import fs from 'node:fs';
import { resolve } from 'node:path';
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
  const composed =
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
  return JSON.stringify(composed) === JSON.stringify(data);
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

/**
 * The article that a file without a delivery of its own may have been before it was renamed: one with its title, whose own
 * file is gone. One with its text comes first.
 *
 * @param dir the sender's folder.
 */
export function articlesWithoutFile(queue: Queue, connector: Connector, dir: string) {
  let gone: Entry[] | undefined;
  return (draft: Draft): Entry | undefined => {
    gone ??= [...queue.list()].filter(
      ({ connector: name, source, record }) =>
        name === connector.name &&
        record.payload.event === 'article.published' &&
        !fs.existsSync(resolve(dir, source)),
    );
    const sameTitle = gone.filter(
      ({ record }) => draft.title !== '' && record.payload.data.title === draft.title,
    );
    return (
      sameTitle.find(({ record: { payload } }) =>
        saysTheSame(queue, withSlugOf(payload, draft), connector, payload),
      ) ?? sameTitle[0]
    );
  };
}

/** The draft with the slug that was sent: an article keeps it when its file is renamed. */
export function withSlugOf({ data }: Envelope, draft: Draft): Draft {
  return { ...draft, slug: String(data.slug) };
}
