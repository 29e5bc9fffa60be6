// The entry of the thread that reads pages; `page-work.ts` starts it.
import { parentPort, workerData } from 'node:worker_threads';
import { postbuild } from './build/postbuild.js';
import { problemOf } from './live/page-problem.js';
import type { PageWork } from './page-work.js';

const work = workerData as PageWork;

function result(): unknown {
  if (work.kind === 'look') return problemOf(work.page, work.answer);
  const { kind: _, current, ...options } = work;
  return postbuild({ ...options, onArticle: (index) => Atomics.store(current, 0, index) });
}

parentPort?.postMessage(result());
