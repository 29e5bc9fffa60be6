import type { Connector } from '../connectors.js';
import type { Envelope } from '../delivery/send-event.js';
import type { Queue } from '../queue/queue.js';
import { composeArticle, composeUpdate } from './compose.js';
import type { Draft } from './draft.js';

/** Whether a file would make what was sent. */
export function saysTheSame(
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
      ? composeUpdate(draft, connector, target, text('id'), timestamp)
      : composeArticle(draft, connector, text('id'), timestamp);
  return JSON.stringify(composed) === JSON.stringify(data);
}

/** By Markdown file, the last refresh that landed; looked for when it is first asked for. */
export function lastRefreshes(queue: Queue, connector: Connector): () => ReadonlyMap<string, Envelope> {
  let found: Map<string, Envelope> | undefined;
  return () => {
    if (found !== undefined) return found;
    found = new Map();
    for (const { connector: name, source, record } of queue.list()) {
      const { status, payload } = record;
      if (name !== connector.name || status !== 'success' || payload.event !== 'article.updated') continue;
      const earlier = found.get(source);
      if (earlier === undefined || earlier.timestamp < payload.timestamp) found.set(source, payload);
    }
    return found;
  };
}
