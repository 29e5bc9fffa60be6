import { writeAtomically } from './atomic-write.js';

/** A value of a running process that a JSON file has, too, for other programs and the next start. */
export interface KeptValue<Value> {
  readonly now: Value;
  set(change: Partial<Value>): void;
  /** Writes what has not been written yet. */
  close(): Promise<void>;
}

/**
 * Keeps a value in memory and, some time after each change, in a file. The file is a hint: nothing may be decided by it, as
 * the last changes before a kill are not in it.
 *
 * @param delayMs how long changes gather before the file is written, in milliseconds.
 * @param onFailure is called where the file cannot be written; the value in memory stays right.
 */
export function keepInFile<Value extends object>(
  path: string,
  initial: Value,
  delayMs: number,
  onFailure: (error: unknown) => void,
): KeptValue<Value> {
  let now = initial;
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  function write(): void {
    timer = undefined;
    writing = writing.then(() => writeAtomically(path, `${JSON.stringify(now)}\n`)).catch(onFailure);
  }

  return {
    get now() {
      return now;
    },
    set(change) {
      now = { ...now, ...change };
      timer ??= setTimeout(write, delayMs).unref();
    },
    async close() {
      if (timer !== undefined) {
        clearTimeout(timer);
        write();
      }
      await writing;
    },
  };
}
