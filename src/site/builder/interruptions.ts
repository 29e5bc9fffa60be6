import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/** The longest that a build keeps its thread from hearing of anything else. */
const BREATH_MS = 10;

/** In a rush a build rests so many times as long as it has worked: deliveries need the processor. */
const REST = 4;
const LONGEST_REST_MS = 1_000;

/** Changes that come while a long build is under way, and need not wait for its end; see `createInterruptions`. */
export type Interruptions<Result> = ReturnType<typeof createInterruptions<Result>>;

/**
 * Changes that come while a long build is under way.
 *
 * @param serve builds what these files change.
 */
export function createInterruptions<Result>(serve: (paths: readonly string[]) => Promise<Result>) {
  const waiting: {
    readonly paths: readonly string[];
    resolve(result: Result): void;
    reject(error: unknown): void;
  }[] = [];
  let lastBreath = 0;
  let isUnderWay = false;
  let isBurst = false;

  /** Asks for a build in between; undefined where no build is under way. */
  function ask(paths: readonly string[]): Promise<Result> | undefined {
    if (!isUnderWay) return undefined;
    return new Promise((resolve, reject) => waiting.push({ paths, resolve, reject }));
  }

  /** Lets the thread hear of changes, and serves them where that is possible now. */
  async function yieldNow(isPossible: boolean): Promise<void> {
    const worked = performance.now() - lastBreath;
    if (worked < BREATH_MS) return;
    await (isBurst ? sleep(Math.min(REST * worked, LONGEST_REST_MS)) : nextTurn());
    if (isPossible) await serveAll();
    lastBreath = performance.now();
  }

  async function serveAll(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      try {
        next.resolve(await serve(next.paths));
      } catch (error) {
        next.reject(error);
      }
    }
  }

  return {
    ask,
    yieldNow,
    serveAll,
    begin: () => {
      isUnderWay = true;
      lastBreath = performance.now();
    },
    /** Has builds rest much, or no more. */
    pace: (to: boolean) => {
      isBurst = to;
    },
    /** Ends the build; what is still waiting has failed with it. */
    end: (error?: unknown) => {
      isUnderWay = false;
      for (const { reject } of waiting.splice(0)) reject(error);
    },
  };
}
