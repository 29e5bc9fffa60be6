import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { TextAnswer } from '../fetch-text.js';
import type { ExpectedPage } from './page-problem.js';

/**
 * Looks at a fetched page in a thread, as deliveries are answered in the meantime; see `problemOf`. When the time is up, the
 * thread is ended: nothing else stops code in the middle of its work.
 *
 * @throws what the thread throws; the signal's reason.
 */
export async function lookInThread(
  page: ExpectedPage,
  answer: TextAnswer,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  signal.throwIfAborted();
  const url = new URL('./look-thread.js', import.meta.url);
  const worker = new Worker(url, { workerData: { page, answer }, execArgv: [] });
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const [problem] = await once(worker, 'message', { signal: AbortSignal.any([timeout, signal]) });
    return problem as string | undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) return `the page could not be read within ${timeoutMs / 1_000} s`;
    throw error;
  } finally {
    await worker.terminate();
  }
}
