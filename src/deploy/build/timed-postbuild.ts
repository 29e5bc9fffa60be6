import { PressmarkError } from '../../errors.js';
import { inThread } from '../in-thread.js';
import type { BuiltArticle, PostbuildReport } from './postbuild.js';
import type { PostbuildThreadData } from './postbuild-thread.js';

/**
 * Checks and completes the pages of a built site in a thread, for at most so many milliseconds; see `postbuild`.
 *
 * @throws PressmarkError BUILD_FAILED where the time is up, with the article whose page was being completed; the system's
 *   errors where a page cannot be read or written; the signal's reason.
 */
export async function timedPostbuild(
  options: { readonly siteUrl: string; readonly output: string; readonly articles: readonly BuiltArticle[] },
  limits: { readonly timeoutMs: number; readonly signal?: AbortSignal },
): Promise<PostbuildReport> {
  const current = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const data: PostbuildThreadData = { ...options, current };
  const entry = new URL('./postbuild-thread.js', import.meta.url);
  const answer = await inThread<PostbuildReport>(entry, data, limits);
  if (answer.kind === 'done') return answer.result;
  const at = options.articles[Atomics.load(current, 0)]?.path ?? 'the articles';
  throw new PressmarkError(
    'BUILD_FAILED',
    `completing the pages was ended after ${limits.timeoutMs / 1_000} s, the time limit of a build; it was at the page of ${at}`,
  );
}
