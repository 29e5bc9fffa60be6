import { parentPort, workerData } from 'node:worker_threads';
import type { TextAnswer } from '../fetch-text.js';
import { type ExpectedPage, problemOf } from './page-problem.js';

/** What the thread that looks at a long page is given. */
export interface PageThreadData {
  readonly page: ExpectedPage;
  readonly answer: TextAnswer;
}

// The entry of the thread; `live-check.ts` starts it.
const { page, answer } = workerData as PageThreadData;
parentPort?.postMessage(problemOf(page, answer));
