import type { Summary } from './entry-files.js';

/** What is to be sent to one receiver, a few at a time; see `createOutbox`. */
export interface Outbox {
  /** Adds deliveries; one that waits or is under way already is not added again. */
  add(deliveries: Iterable<Summary>): void;
  /** Forgets what has not been begun. */
  clear(): void;
  /** Resolves when nothing is under way and nothing waits. */
  idle(): Promise<void>;
}

/**
 * Sends deliveries side by side. After a failure of `send` nothing else is begun: what hindered one, such as a full
 * disk, hinders the others too, and they are due again at the next tick.
 *
 * @param lanes how many at a time.
 */
export function createOutbox(
  lanes: number,
  send: (delivery: Summary) => Promise<void>,
  onFailure: (error: unknown) => void,
): Outbox {
  const waiting = new Map<string, Summary>();
  const underWay = new Set<string>();
  let active = 0;
  let whenIdle: (() => void)[] = [];

  async function lane(): Promise<void> {
    for (const [id, delivery] of waiting) {
      waiting.delete(id);
      underWay.add(id);
      try {
        await send(delivery);
      } catch (error) {
        waiting.clear();
        onFailure(error);
      } finally {
        underWay.delete(id);
      }
    }
    active--;
    if (active > 0) return;
    for (const resolve of whenIdle) resolve();
    whenIdle = [];
  }

  return {
    add: (deliveries) => {
      for (const one of deliveries)
        if (!underWay.has(one.id) && !waiting.has(one.id)) waiting.set(one.id, one);
      for (let more = Math.min(lanes - active, waiting.size); more > 0; more--) {
        active++;
        void lane();
      }
    },
    clear: () => waiting.clear(),
    idle: () => (active === 0 ? Promise.resolve() : new Promise((resolve) => whenIdle.push(() => resolve()))),
  };
}
