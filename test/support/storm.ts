import { setTimeout } from 'node:timers/promises';
import type { Client } from './client.js';
import { article, type PublishedData, update } from './events.js';
import type { Operation } from './linearizable.js';
import type { Random } from './random.js';
import { until } from './until.js';

/** Deliveries of all kinds to several receivers at the same time, recorded as their senders see them. */
export interface Storm {
  readonly history: Operation[];
  /** The URLs of the acknowledged articles, by id. */
  readonly published: Map<string, string>;
  /** Sends a number of deliveries, or sends deliveries until `isOver` returns true. */
  blow(how: { readonly deliveries: number } | { isOver(): boolean }): Promise<void>;
  /** Looks up every acknowledged article at each of these receivers. */
  lookAtAll(clients: readonly Client[]): Promise<void>;
}

interface StormOptions {
  /** Chooses the deliveries and their receivers. */
  readonly random: Random;
  /** The running receivers; called before each delivery, because receivers are restarted. */
  clients(): readonly Client[];
  readonly articles: number;
  /** How many deliveries are sent at the same time. */
  readonly lanes: number;
  /** The pause between two deliveries of a lane, in milliseconds. @default 0 */
  readonly pause?: number;
}

/** How long a lane pauses after a refused connection, in milliseconds. */
const REFUSED_PAUSE_MS = 20;

/** Makes a storm with new articles. */
export function createStorm({ random, clients, articles, lanes, pause = 0 }: StormOptions): Storm {
  const history: Operation[] = [];
  const published = new Map<string, string>();
  const all = Array.from({ length: articles }, () => article({ slug: 'storm' }));
  /** The last revision of each article that a sender has seen. */
  const seen = new Map<string, string>();

  async function record<R>(
    id: string,
    send: () => Promise<R>,
    did: (answer: R | undefined) => Operation['did'],
  ): Promise<void> {
    const from = performance.now();
    let answer: R | undefined;
    try {
      answer = await send();
    } catch (error) {
      // Between the kill of a receiver and its next start, nobody takes a delivery.
      if (isRefused(error)) return setTimeout(REFUSED_PAUSE_MS);
      // the connection broke: the delivery may have been stored or not
    }
    const operation = did(answer);
    const to = operation.result === 'unknown' ? Number.POSITIVE_INFINITY : performance.now();
    history.push({ article: id, from, to, did: operation });
  }

  async function publish(client: Client, data: PublishedData): Promise<void> {
    await record(
      data.id,
      () => client.post('article.published', data),
      (answer) => {
        if (answer === undefined || answer.status >= 500) return { event: 'publish', result: 'unknown' };
        if (answer.status !== 200)
          throw new Error(
            `a publication should be answered with 200 or 5xx, not with ${answer.status} ${answer.text}`,
          );
        const before = published.get(data.id);
        if (before !== undefined && before !== answer.json.url)
          throw new Error(`${data.id} should have one URL, but has ${before} and ${answer.json.url}`);
        published.set(data.id, answer.json.url);
        return { event: 'publish', result: 'ok' };
      },
    );
  }

  async function look(client: Client, id: string, url: string): Promise<void> {
    await record(
      id,
      () => client.post('article.lookup', { target_url: url }),
      (answer) => {
        if (answer === undefined || answer.status >= 500) return { event: 'lookup', result: 'unknown' };
        if (answer.status === 404) return { event: 'lookup', result: 'missing' };
        const { revision_id: revision } = answer.json.target;
        seen.set(id, revision);
        return { event: 'lookup', result: { revision } };
      },
    );
  }

  async function change(client: Client, id: string, url: string): Promise<void> {
    const base = seen.get(id);
    if (base === undefined) return look(client, id, url);
    const data = update({ target_id: id, target_url: url, base_revision_id: base });
    const { id: revision } = data;
    await record(
      id,
      () => client.post('article.updated', data),
      (answer) => {
        const sent = { event: 'update', base, revision } as const;
        if (answer?.status === 200) seen.set(id, revision);
        if (answer?.status === 200) return { ...sent, result: 'ok' };
        if (answer?.status === 409) seen.delete(id);
        if (answer?.status === 409) return { ...sent, result: 'conflict' };
        return { ...sent, result: answer?.status === 404 ? 'missing' : 'unknown' };
      },
    );
  }

  async function lane(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const client = random.pick(clients());
      const data = random.pick(all);
      const url = published.get(data.id);
      const choice = random.next();
      if (url === undefined || choice < 0.1) await publish(client, data);
      else if (choice < 0.5) await look(client, data.id, url);
      else await change(client, data.id, url);
      if (pause > 0) await setTimeout(pause);
    }
  }

  return {
    history,
    published,
    blow: async (how) => {
      let left = 'deliveries' in how ? how.deliveries : 0;
      const isOver = 'isOver' in how ? how.isOver : () => left-- <= 0;
      await Promise.all(Array.from({ length: lanes }, () => lane(isOver)));
    },
    lookAtAll: async (answering) => {
      for (const client of answering)
        for (const [id, url] of published)
          await until(`every receiver answers a lookup of ${url}`, async () => {
            const before = history.length;
            await look(client, id, url);
            return history.length > before && history.at(-1)?.did.result !== 'unknown';
          });
    },
  };
}

function isRefused(error: unknown): boolean {
  const { code } = Object(Object(error).cause ?? error);
  return code === 'ECONNREFUSED';
}
