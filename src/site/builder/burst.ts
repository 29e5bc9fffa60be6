/** So many changes within so many milliseconds are a burst. */
const MANY = 50;
const WINDOW_MS = 500;

/** Notices when changes come in fast; see `createBurst`. */
export interface Burst {
  /** Counts a change. */
  note(): void;
  /** Counts no more. */
  stop(): void;
}

/**
 * Watches how fast changes come in. While a hundred a second are delivered and more, building their pages can wait,
 * and answering cannot.
 *
 * @param notify called when a burst begins and when it is over.
 */
export function createBurst(notify: (isBurst: boolean) => void): Burst {
  let count = 0;
  let isBurst = false;
  let timer: NodeJS.Timeout | undefined;

  function note(): void {
    if (++count === MANY) turn(true);
    timer ??= setInterval(look, WINDOW_MS).unref();
  }

  function look(): void {
    if (count < MANY) turn(false);
    if (count === 0) stop();
    count = 0;
  }

  function turn(to: boolean): void {
    if (isBurst === to) return;
    isBurst = to;
    notify(to);
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  return { note, stop };
}
