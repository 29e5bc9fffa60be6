/** Deliveries are synced by the same few threads that open and read files, and answered by the same event loop. */
const AT_ONCE = 2;

let running = 0;
const waiting: (() => void)[] = [];

/**
 * Opens or reads a file when its turn comes: at most two at a time and in the order of the calls, so that a thousand
 * readers delay a delivery no more than two do.
 */
export async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running === AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else running++;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next === undefined) running--;
    else next();
  }
}
