import { parentPort, workerData } from 'node:worker_threads';
import { type BuiltArticle, type PostbuildOptions, postbuild } from './postbuild.js';

/** What the thread that completes the pages of a site is given. */
export interface PostbuildThreadData extends Pick<PostbuildOptions, 'siteUrl' | 'output'> {
  readonly articles: readonly BuiltArticle[];
  /** Shared: the number of the article whose page is being completed. */
  readonly current: Int32Array;
}

// The entry of the thread; `timed-postbuild.ts` starts it.
const { current, ...options } = workerData as PostbuildThreadData;
const onArticle = (index: number) => Atomics.store(current, 0, index);
parentPort?.postMessage(postbuild({ ...options, onArticle }));
