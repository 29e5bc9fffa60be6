import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { PressmarkError } from '../errors.js';
import type { BuiltArticle, PostbuildReport } from './build/postbuild.js';
import type { TextAnswer } from './fetch-text.js';
import type { ExpectedPage } from './live/page-problem.js';
import type { PageWork } from './page-thread.js';

/** How long the work may take. */
export interface WorkLimits {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

type WorkResult<Result> = { readonly kind: 'done'; readonly result: Result } | { readonly kind: 'timed-out' };

/**
 * Looks at a fetched page; see `problemOf`.
 *
 * @throws what the thread throws; the signal's reason.
 */
export async function lookAtPage(
  page: ExpectedPage,
  answer: TextAnswer,
  limits: WorkLimits,
): Promise<string | undefined> {
  const look = await inThread<string | undefined>({ kind: 'look', page, answer }, limits);
  if (look.kind === 'done') return look.result;
  return `the page could not be read within ${limits.timeoutMs / 1_000} s`;
}

/**
 * Checks and completes the pages of a built site; see `postbuild`.
 *
 * @throws PressmarkError BUILD_FAILED where the time is up, with the article whose page was being completed; the system's
 *   errors where a page cannot be read or written; the signal's reason.
 */
export async function completePages(
  options: { readonly siteUrl: string; readonly output: string; readonly articles: readonly BuiltArticle[] },
  limits: WorkLimits,
): Promise<PostbuildReport> {
  const current = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const answer = await inThread<PostbuildReport>({ kind: 'complete', ...options, current }, limits);
  if (answer.kind === 'done') return answer.result;
  const at = options.articles[Atomics.load(current, 0)]?.path ?? 'the articles';
  throw new PressmarkError(
    'BUILD_FAILED',
    `completing the pages was ended after ${limits.timeoutMs / 1_000} s, the time limit of a build; it was at the page of ${at}`,
  );
}

/** Starts a thread for one piece of work, and ends it when the time is up: nothing else stops code in the middle of its work. */
async function inThread<Result>(
  work: PageWork,
  { timeoutMs, signal }: WorkLimits,
): Promise<WorkResult<Result>> {
  signal?.throwIfAborted();
  const worker = new Worker(new URL('./page-thread.js', import.meta.url), { workerData: work, execArgv: [] });
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const [result] = await once(worker, 'message', {
      signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
    });
    return { kind: 'done', result: result as Result };
  } catch (error) {
    signal?.throwIfAborted();
    if (timeout.aborted) return { kind: 'timed-out' };
    throw error;
  } finally {
    await worker.terminate();
  }
}
