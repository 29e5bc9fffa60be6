import fs from 'node:fs';
import { resolve } from 'node:path';
import type { LookupTarget } from '../../contract/answers.js';
import { canonicalUrl } from '../../contract/canonical-url.js';
import type { UpdateData } from '../../contract/envelope.js';
import type { Connector } from '../connectors.js';
import type { Delivery } from '../delivery/delivery.js';
import type { Envelope } from '../delivery/send-event.js';
import type { Entry } from '../queue/entry.js';
import type { Summary } from '../queue/entry-files.js';
import type { Queue } from '../queue/queue.js';
import { composeArticle, composeUpdate } from './compose.js';
import type { Draft } from './draft.js';

/**
 * The times at which articles were published from here, ISO 8601. An article is known by the receiver's id or its URL, as a
 * receiver may give it an id of its own.
 */
export function publicationTimes(queue: Queue, { name }: Connector) {
  const times = new Map<string, string>();
  const published = ({ connector, event }: Summary) => connector === name && event === 'article.published';
  for (const { article, liveUrl, timestamp } of queue.known(published)) {
    times.set(article, timestamp);
    if (liveUrl !== null) times.set(canonicalUrl(liveUrl) ?? liveUrl, timestamp);
  }
  return ({ id, url }: Pick<LookupTarget, 'id' | 'url'>) =>
    times.get(id) ?? times.get(canonicalUrl(url) ?? url);
}

/** An article that was published from another file. */
export interface OfOtherFile {
  readonly entry: Entry;
  /** Whether that file no longer exists. */
  readonly isGone: boolean;
}

/** The deliveries to a receiver, for comparison with files; see `alreadySent`. */
export type AlreadySent = ReturnType<typeof alreadySent>;

/** The deliveries to a receiver, read from the queue on first use. @param dir the sender's folder. */
export function alreadySent(queue: Queue, connector: Connector, dir: string) {
  /** The last refresh of each Markdown file that has landed, may have landed, or is still to be sent. */
  const refreshes = once(() => {
    const found = new Map<string, Delivery>();
    const updates = queue.list((one) => one.connector === connector.name && one.event === 'article.updated');
    for (const { source, mayBeStored, record } of updates) {
      if (record.status === 'failed' && !mayBeStored) continue;
      if ((found.get(source)?.payload.timestamp ?? '') < record.payload.timestamp) found.set(source, record);
    }
    return found;
  });
  const publishedAt = once(() => publicationTimes(queue, connector));
  const idsByTitle = once(() => {
    const found = new Map<string, string[]>();
    const published = ({ connector: name, event }: Summary) =>
      name === connector.name && event === 'article.published';
    for (const { id, record } of queue.list(published)) listOf(found, titleOf(record)).push(id);
    return found;
  });
  const added = new Map<string, Entry>();

  /** Whether a file would produce the same event as before. */
  function isSame(draft: Draft, { event, timestamp, data }: Envelope): boolean {
    const text = (key: string) => String(data[key]);
    const target = {
      id: text('target_id'),
      url: text('target_url'),
      revision_id: text('base_revision_id'),
      title: '',
      content_html: text('content_html'), // includes the comments that the update kept
    };
    const { target_url: _, ...composed }: Partial<UpdateData> =
      event === 'article.updated'
        ? composeUpdate(
            ...([draft, connector, target, text('id'), timestamp] as const),
            publishedAt()(target),
          )
        : composeArticle(draft, connector, text('id'), timestamp);
    // A canonical URL may differ: of two trailing slashes one is dropped.
    const { target_url: __, ...sent } = data;
    return JSON.stringify(composed) === JSON.stringify(sent);
  }

  return {
    isSame,
    /** Whether a file, at `source`, differs from the text at the receiver, or may do so. */
    isChanged: (draft: Draft, source: string, { record }: Entry): boolean => {
      const last = refreshes().get(source) ?? record;
      // After a refresh whose answer was lost, the receiver's text is unknown.
      const isUnknown = last !== record && last.status === 'failed';
      return isUnknown || !isSame(draft, last.payload);
    },
    /**
     * The article that a file without a delivery may have been before it was renamed or copied: one with its title and its
     * text, or one with its title whose own file is gone.
     */
    ofOtherFile: (draft: Draft): OfOtherFile | undefined => {
      if (draft.title === '') return undefined;
      const sameTitle = (idsByTitle().get(draft.title) ?? [])
        .map((id) => added.get(id) ?? queue.read(id))
        .filter((entry) => entry !== undefined)
        .map((entry) => ({ entry, isGone: !fs.existsSync(resolve(dir, entry.source)) }));
      return (
        sameTitle.find(({ entry: { record } }) =>
          isSame(withSlugOf(record.payload, draft), record.payload),
        ) ?? sameTitle.find(({ isGone }) => isGone)
      );
    },
    /** Counts an article as sent before it is sent. */
    add: (article: Entry): void => {
      added.set(article.id, article);
      listOf(idsByTitle(), titleOf(article.record)).push(article.id);
    },
  };
}

function titleOf({ payload }: Entry['record']): string {
  return String(payload.data.title);
}

function listOf(lists: Map<string, string[]>, key: string): string[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}

/** The draft with the slug that was sent: an article keeps its slug when its file is renamed. */
export function withSlugOf({ data }: Envelope, draft: Draft): Draft {
  return { ...draft, slug: String(data.slug) };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
