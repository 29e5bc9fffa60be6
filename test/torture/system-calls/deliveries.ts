import { setTimeout } from 'node:timers/promises';
import type { Client } from '../../support/client.js';
import { article, update } from '../../support/events.js';
import type { Random } from '../../support/random.js';

/** The deliveries of one article that were sent so far. */
export interface Sent {
  readonly id: string;
  /** The article's URL; undefined until the publication is acknowledged. */
  url: string | undefined;
  /** The revisions of its updates, in the order in which they were sent. */
  readonly updates: string[];
  /** The last acknowledged version: 0 is the publication, 1 the first update; undefined if there is none. */
  acknowledged: number | undefined;
}

/** The deliveries of one article that should be sent. */
export interface Plan {
  readonly id: string;
  /** How many updates follow the publication. */
  readonly updates: number;
  /** The length of the body, in characters. */
  readonly size: number;
  readonly random: Random;
  /** How often a delivery is sent while the answer is 5xx. @default 1 */
  readonly attempts?: number;
  /** Called after each answer. */
  onAnswer?(event: string, status: number, sent: Sent): void;
}

/** How long an answer may take. */
const LONGEST_ANSWER_MS = 30_000;

/**
 * Publishes an article, updates it, and repeats some of the deliveries at random. Stops after a publication, lookup or
 * update that is not acknowledged.
 *
 * @throws Error if an answer is late or the connection breaks.
 */
export async function deliver({ post }: Client, sent: Sent, plan: Plan): Promise<void> {
  const { id, random, attempts = 1, onAnswer } = plan;
  const data = article({
    id,
    slug: `bees ${id}`,
    content_markdown: `${text(plan)}\n\n<!-- svc:item:${id} -->`,
  });
  const send = async (event: string, body: unknown) => {
    for (let attempt = 1; ; attempt++) {
      const answer = await Promise.race([post(event, body), failAfterTimeout(event)]);
      onAnswer?.(event, answer.status, sent);
      if (answer.status < 500 || attempt >= attempts) return answer;
    }
  };

  const published = await send('article.published', data);
  if (published.status !== 200) return;
  sent.url = published.json.url;
  sent.acknowledged = 0;
  for (let count = 0; count < plan.updates; count++) {
    const found = await send('article.lookup', { target_url: sent.url });
    if (found.status !== 200) return;
    const revision = `${id}-draft-${count + 1}`;
    const body = update(
      { target_id: id, target_url: sent.url, base_revision_id: found.json.target.revision_id },
      { id: revision, content_markdown: `${text(plan)}\n\n${revision}\n\n<!-- svc:item:${id} -->` },
    );
    sent.updates.push(revision);
    if ((await send('article.updated', body)).status !== 200) return;
    sent.acknowledged = sent.updates.length;
    if (random.chance(0.3)) await send('article.updated', body);
    if (random.chance(0.3)) await send('article.published', data);
  }
}

function text({ size, random }: Plan): string {
  const words = ['hive', 'balcony', 'wind', 'honey', 'frame', 'swarm', 'wax', 'queen'];
  let made = '';
  while (made.length < size) made += `${random.pick(words)} `;
  return made.trimEnd();
}

async function failAfterTimeout(event: string): Promise<never> {
  await setTimeout(LONGEST_ANSWER_MS, undefined, { ref: false });
  throw new Error(`${event} was not answered within ${LONGEST_ANSWER_MS / 1000} s`);
}

/** A record of an article of which nothing has been sent yet. */
export function nothingSent(id: string): Sent {
  return { id, url: undefined, updates: [], acknowledged: undefined };
}
