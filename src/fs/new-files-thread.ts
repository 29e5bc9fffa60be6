import { parentPort } from 'node:worker_threads';
import { messageOf, systemCode } from '../errors.js';
import { makeNewFile, type NewFile } from './new-file.js';
import type { Stamp } from './stamp.js';

/** A file that the thread is asked for. */
export interface NewFileJob extends NewFile {
  /** Unique. */
  readonly number: number;
}

/** What became of a file; without a stamp where another one stands there. */
export interface NewFileAnswer {
  readonly number: number;
  readonly stamp?: Stamp | undefined;
  /** An error's `code` does not travel with it. */
  readonly failed?: { readonly message: string; readonly code: string | undefined };
}

let answers: NewFileAnswer[] = [];

async function make({ number, ...file }: NewFileJob): Promise<NewFileAnswer> {
  try {
    return { number, stamp: await makeNewFile(file) };
  } catch (error) {
    return { number, failed: { message: messageOf(error), code: systemCode(error) } };
  }
}

function answer(one: NewFileAnswer): void {
  answers.push(one);
  // The disk finishes several files at once; their callbacks run one after the other.
  if (answers.length === 1) setImmediate(send);
}

function send(): void {
  parentPort?.postMessage(answers);
  answers = [];
}

parentPort?.on('message', (jobs: readonly NewFileJob[]) => {
  for (const job of jobs) void make(job).then(answer);
});
