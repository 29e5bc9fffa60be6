import { setTimeout } from 'node:timers/promises';
import type { Client } from '../../support/client.js';
import { article, update } from '../../support/events.js';
import type { Random } from '../../support/random.js';

/** What was sent of one article. */
export interface Sent {
  readonly id: string;
  /** Undefined until the publication is acknowledged. */
  url: string | undefined;
  /** The revisions of its updates, in the order in which they were sent. */
  readonly updates: string[];
  /** The last version that the sender knows to be acknowledged: 0 is the publication, 1 the first update. */
  acknowledged: number | undefined;
}

/** What is sent of one article, and how. */
export interface Plan {
  readonly id: string;
  readonly updates: number;
  /** Characters of the body. */
  readonly size: number;
  readonly random: Random;
  /** How often a delivery is sent that is answered with 5xx. @default 1 */
  readonly attempts?: number;
  /** Told of each answer. */
  onAnswer?(event: string, status: number, sent: Sent): void;
}

/** How long an answer may take. */
const LONGEST_ANSWER_MS = 30_000;

/**
 * Publishes an article, updates it some times, and delivers some of it again. A delivery that is not acknowledged is the
 * last one.
 *
 * @throws Error where there was no answer in time, or none at all.
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
      const answer = await Promise.race([post(event, body), tooLate(event)]);
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

async function tooLate(event: string): Promise<never> {
  await setTimeout(LONGEST_ANSWER_MS, undefined, { ref: false });
  throw new Error(`${event} was not answered within ${LONGEST_ANSWER_MS / 1000} s`);
}

/** A new record of what is sent. */
export function nothingSent(id: string): Sent {
  return { id, url: undefined, updates: [], acknowledged: undefined };
}
