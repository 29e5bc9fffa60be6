/** How long a file must lie still before its edit is committed, in milliseconds: people save in steps. */
const STILL_MS = 2_000;

/** People's edits that are not finished yet, perhaps; see `createEdits`. */
export interface Edits {
  /** A file has changed; it is told of after so many milliseconds in which it does not again. @default `stillMs` */
  note(path: string, ms?: number): void;
  /** Somebody else sees to this file's edit. */
  forget(path: string): void;
  /** Nothing is waited for any more. */
  flush(): void;
}

/** Tells of each edited file, once it has lain still for `stillMs`. */
export function createEdits(tell: (path: string) => void, stillMs = STILL_MS): Edits {
  const timers = new Map<string, NodeJS.Timeout>();
  let isOver = false;

  function forget(path: string): void {
    clearTimeout(timers.get(path));
    timers.delete(path);
  }

  function note(path: string, ms = stillMs): void {
    forget(path);
    if (isOver) {
      tell(path);
      return;
    }
    const timer = setTimeout(() => {
      timers.delete(path);
      tell(path);
    }, ms);
    timers.set(path, timer);
  }

  function flush(): void {
    isOver = true;
    for (const path of [...timers.keys()]) {
      forget(path);
      tell(path);
    }
  }

  return { note, forget, flush };
}
