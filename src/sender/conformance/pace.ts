const WINDOW_MS = 1000;

/** Lets requests begin so that no window of a second holds more than `rate` of them. */
export interface Pace {
  /** Waits until `count` requests may begin at once; of more than `rate`, until they may begin one after the other. */
  take(count?: number): Promise<void>;
}

/**
 * A sliding window rather than an even beat: rivals have to begin at the same moment.
 *
 * @param rate requests a second, at least 1.
 */
export function createPace(rate: number): Pace {
  const begun: number[] = [];
  const room = async (count: number): Promise<void> => {
    for (;;) {
      const now = performance.now();
      while (begun[0] !== undefined && begun[0] <= now - WINDOW_MS) begun.shift();
      const blocking = begun[begun.length + count - rate - 1];
      if (blocking === undefined) {
        for (let n = 0; n < count; n++) begun.push(now);
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, Math.ceil(blocking + WINDOW_MS - now)));
    }
  };
  return {
    take: async (count = 1) => {
      for (let left = count; left > 0; left -= rate) await room(Math.min(left, rate));
    },
  };
}
