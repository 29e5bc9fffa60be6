/** How long a file must not have changed before its edit is committed, in milliseconds: people save in steps. */
const STILL_MS = 2_000;

/** Delays people's edits until they have stopped saving; see `createEditDelay`. */
export interface EditDelay {
  /** A file has changed; it is reported once it has not changed for so many milliseconds. @default `stillMs` */
  add(path: string, ms?: number): void;
  /** Reports all delayed files at once; from now on nothing is delayed. */
  flush(): void;
}

/**
 * Reports each edited file once it has not changed for `stillMs` milliseconds.
 *
 * @param report called with the path of such a file.
 */
export function createEditDelay(report: (path: string) => void, stillMs = STILL_MS): EditDelay {
  const timers = new Map<string, NodeJS.Timeout>();
  let isFlushed = false;

  function add(path: string, ms = stillMs): void {
    cancel(path);
    if (isFlushed) {
      report(path);
      return;
    }
    const timer = setTimeout(() => {
      timers.delete(path);
      report(path);
    }, ms);
    timers.set(path, timer);
  }

  function cancel(path: string): void {
    clearTimeout(timers.get(path));
    timers.delete(path);
  }

  function flush(): void {
    isFlushed = true;
    for (const path of [...timers.keys()]) {
      cancel(path);
      report(path);
    }
  }

  return { add, flush };
}
