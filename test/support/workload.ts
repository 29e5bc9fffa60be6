import type { PublishedData } from './events.js';
import type { Receiver } from './receiver.js';

/** What was acknowledged, and the answer it was acknowledged with. */
export interface Acknowledged {
  readonly data: PublishedData;
  readonly text: string;
}

/**
 * Sends deliveries at full speed, several at a time, until the receiver is gone.
 *
 * @param make the next delivery.
 * @returns what was acknowledged before the end.
 */
export async function publishUntilGone(
  { post }: Receiver,
  make: () => PublishedData,
  lanes = 4,
): Promise<Acknowledged[]> {
  const acknowledged: Acknowledged[] = [];
  const lane = async () => {
    for (;;) {
      const data = make();
      try {
        const { status, text } = await post('article.published', data);
        if (status !== 200) return;
        acknowledged.push({ data, text });
      } catch {
        return; // the connection broke: the receiver is gone
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return acknowledged;
}
