import { Worker } from 'node:worker_threads';

/** How work in a thread ended. */
export type ThreadResult<Result> =
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'timed-out' };

/**
 * Starts a thread for one piece of work, and ends the thread when its time is up: nothing else stops code in the middle of
 * its work.
 *
 * @param entry the thread's file; it posts its result as its only message.
 * @param workerData what the work needs.
 * @throws what the thread throws; the signal's reason.
 */
export async function inThread<Result>(
  entry: URL,
  workerData: unknown,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal?: AbortSignal },
): Promise<ThreadResult<Result>> {
  signal?.throwIfAborted();
  const worker = new Worker(entry, { workerData, execArgv: [] });
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  try {
    return await new Promise((resolve, reject) => {
      timer = setTimeout(() => resolve({ kind: 'timed-out' }), timeoutMs);
      onAbort = () => reject(signal?.reason);
      signal?.addEventListener('abort', onAbort);
      worker.once('message', (result: Result) => resolve({ kind: 'done', result }));
      worker.once('error', reject);
      worker.once('exit', (code) => reject(new Error(`a thread ended with ${code}`)));
    });
  } finally {
    clearTimeout(timer);
    if (onAbort !== undefined) signal?.removeEventListener('abort', onAbort);
    await worker.terminate();
  }
}
