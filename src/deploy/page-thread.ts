// The entry of the thread that reads pages; `page-work.ts` starts it.
import { parentPort, workerData } from 'node:worker_threads';
import { type BuiltArticle, postbuild } from './build/postbuild.js';
import type { TextAnswer } from './fetch-text.js';
import { type ExpectedPage, problemOf } from './live/page-problem.js';

/** What is done with pages in a thread: they hold the texts of others, and deliveries are answered in the meantime. */
export type PageWork =
  | { readonly kind: 'look'; readonly page: ExpectedPage; readonly answer: TextAnswer }
  | {
      readonly kind: 'complete';
      readonly siteUrl: string;
      readonly output: string;
      readonly articles: readonly BuiltArticle[];
      /** Shared: the number of the article whose page is being completed. */
      readonly current: Int32Array;
    };

const work = workerData as PageWork;

function result(): unknown {
  if (work.kind === 'look') return problemOf(work.page, work.answer);
  const { kind: _, current, ...options } = work;
  return postbuild({ ...options, onArticle: (index) => Atomics.store(current, 0, index) });
}

parentPort?.postMessage(result());
