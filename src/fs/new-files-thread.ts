import fs from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { messageOf, systemCode } from '../errors.js';
import { putNew, stageHere } from './atomic-write.js';
import { type Stamp, stampOf } from './stamp.js';

/** A file that is to be made where none is yet. */
export interface NewFile {
  /** The folder where it is written before it gets its name; on the file system of that. */
  readonly staging: string;
  readonly target: string;
  /** Its bytes. In shared memory they are not copied for the thread that writes them. */
  readonly data: Uint8Array;
}

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

/**
 * Writes a file, waits until it is on the disk, and gives it its name, never over a file that is there. Its folder is
 * still to be synced. Making and naming it hold the thread up where the disk commits its own journal just then; it must be
 * one that no delivery waits for.
 *
 * @returns undefined where `target` exists already.
 * @throws the system's errors; nothing was changed then.
 */
async function makeNewFile({ staging, target, data }: NewFile): Promise<Stamp | undefined> {
  const { temp, stat } = await stageHere(staging, data);
  try {
    return putNew(temp, target) ? stampOf(stat) : undefined;
  } finally {
    drop(temp);
  }
}

function drop(temp: string): void {
  try {
    fs.unlinkSync(temp);
  } catch {
    // renamed, or swept by the next start; nothing that was promised has failed
  }
}
