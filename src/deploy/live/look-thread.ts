// The entry of the thread that reads a long page; `live-check.ts` starts it.
import { parentPort, workerData } from 'node:worker_threads';
import type { TextAnswer } from '../fetch-text.js';
import { type ExpectedPage, problemOf } from './page-problem.js';

const { page, answer } = workerData as { readonly page: ExpectedPage; readonly answer: TextAnswer };
parentPort?.postMessage(problemOf(page, answer));
