import { parentPort, workerData } from 'node:worker_threads';
import { type ExpectedPage, problemOf } from './page-problem.js';
import type { PublicAnswer } from './public-fetch.js';

/** What the thread that looks at a long page is given. */
export interface PageThreadData {
  readonly page: ExpectedPage;
  readonly answer: PublicAnswer;
}

// The entry of the thread; `live-check.ts` starts it.
const { page, answer } = workerData as PageThreadData;
parentPort?.postMessage(problemOf(page, answer));
