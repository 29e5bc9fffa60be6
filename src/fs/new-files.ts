import { Worker } from 'node:worker_threads';
import type { NewFile, NewFileAnswer, NewFileJob } from './new-files-thread.js';
import type { Stamp } from './stamp.js';

/** Makes new files; see `createNewFiles`. */
export interface NewFiles {
  /**
   * Writes a file, waits until it is on the disk, and gives it its name, never over a file that is there. Its folder is
   * still to be synced. Its bytes may not change meanwhile.
   *
   * @returns undefined where `target` exists already.
   * @throws what `beforeBatch` throws; the system's errors; an Error where the thread has died, which may have made it.
   */
  make(file: NewFile): Promise<Stamp | undefined>;
  /** Ends the thread; what is under way fails. */
  close(): Promise<void>;
}

interface Waiting {
  resolve(stamp: Stamp | undefined): void;
  reject(error: unknown): void;
}

/**
 * New files by a thread of their own, so that the one that answers deliveries has its time for them: on a file's way
 * there are five calls that have to be handed to the thread pool and taken from there, or that wait for the disk. What
 * is asked for within one turn travels in one message.
 *
 * @param beforeBatch called before any of a batch can have its name.
 */
export function createNewFiles(beforeBatch: () => void): NewFiles {
  const waiting = new Map<number, Waiting>();
  let due: NewFileJob[] = [];
  let count = 0;
  let worker: Worker | undefined = start();

  function start(): Worker {
    const started = new Worker(new URL('./new-files-thread.js', import.meta.url));
    started.unref();
    started.on('message', (answers: readonly NewFileAnswer[]) => answers.forEach(settle));
    started.on('error', (error) => failAll(started, error));
    started.on('exit', (code) => failAll(started, ended(code)));
    return started;
  }

  function make(file: NewFile): Promise<Stamp | undefined> {
    return new Promise((resolve, reject) => {
      const number = count++;
      waiting.set(number, { resolve, reject });
      due.push({ number, ...file });
      if (due.length === 1) setImmediate(send);
    });
  }

  function send(): void {
    const batch = due;
    due = [];
    try {
      beforeBatch();
      worker ??= start();
      worker.ref();
      worker.postMessage(batch);
    } catch (error) {
      for (const { number } of batch) take(number)?.reject(error);
    }
  }

  function settle({ number, stamp, failed }: NewFileAnswer): void {
    if (failed === undefined) take(number)?.resolve(stamp);
    else take(number)?.reject(Object.assign(new Error(failed.message), { code: failed.code }));
  }

  function take(number: number): Waiting | undefined {
    const found = waiting.get(number);
    waiting.delete(number);
    if (waiting.size === 0) worker?.unref(); // a process with nothing else to do may end
    return found;
  }

  function failAll(dead: Worker, error: unknown): void {
    if (worker !== dead) return;
    worker = undefined;
    for (const number of [...waiting.keys()]) take(number)?.reject(error);
  }

  async function close(): Promise<void> {
    const ending = worker;
    if (ending === undefined) return;
    failAll(ending, ended(await ending.terminate()));
  }

  return { make, close };
}

function ended(code: number): Error {
  return new Error(`the thread that writes files has ended with code ${code}`);
}
