import type { Worker } from 'node:worker_threads';
import { PressmarkError } from '../errors.js';
import type { FormatJob, JobAnswer, JobInput, JobRequest, JobResult } from './format-jobs.js';
import type { ProvenAddress } from './mapping.js';
import { workOf } from './thread-work.js';

/** A thread for the work on long articles; see `createFormatThread`. */
export interface FormatThread {
  /**
   * Does a job in the thread.
   *
   * @throws what the job throws; PressmarkError ARTICLE_TOO_COMPLEX where it takes too long or too much memory.
   */
  run<Job extends FormatJob>(
    job: Job,
    input: JobInput<Job>,
    proof: ProvenAddress | undefined,
  ): Promise<JobResult<Job>>;
}

/** How long the thread lives, in milliseconds. */
export interface FormatThreadTimes {
  /**
   * What one job may take of the processor. Ordinary text of the greatest length takes less than a tenth of it. Where
   * the system does not report what a thread takes, the time that passes counts.
   */
  readonly work: number;
  /** Until the answer, however busy the machine is. */
  readonly wait: number;
  /** Without a job; its memory is free then. */
  readonly idle: number;
}

// The service waits 15 s for a lookup (contract: Limits), whose second job, if there is one, has the most to do.
const TIMES: FormatThreadTimes = { work: 2_000, wait: 12_000, idle: 10_000 };

/** Between two looks at a job that has little time left. */
const SHORTEST_WATCH_MS = 20;

interface Waiting {
  readonly request: JobRequest;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/**
 * One thread that does one job after the other. It is started for the first one. A job that takes too long ends the
 * thread, and the next job gets another: nothing else stops a library in the middle of its work.
 *
 * @param start starts a thread that calls `serveFormatJobs`.
 */
export function createFormatThread(start: () => Worker, times: FormatThreadTimes = TIMES): FormatThread {
  const waiting: Waiting[] = [];
  let current: Waiting | undefined;
  let worker: Worker | undefined;
  /** Milliseconds of work that the thread has done; undefined until it is ready. */
  let workDone: (() => number) | undefined;
  let begun = { wait: 0, work: 0 };
  let timer: NodeJS.Timeout | undefined;

  function run<Job extends FormatJob>(job: Job, input: JobInput<Job>, proof: ProvenAddress | undefined) {
    return new Promise<JobResult<Job>>((resolve, reject) => {
      const given = (result: unknown) => resolve(result as JobResult<Job>);
      waiting.push({ request: { job, input, proof }, resolve: given, reject });
      next();
    });
  }

  function next(): void {
    if (current !== undefined) return;
    current = waiting.shift();
    if (current === undefined) {
      rest();
      return;
    }
    try {
      worker ??= started();
      worker.ref();
      worker.postMessage(current.request);
      begun = { wait: performance.now(), work: workDone?.() ?? 0 };
      watch();
    } catch (error) {
      settle((job) => job.reject(error));
    }
  }

  function started(): Worker {
    const thread = start();
    thread.on('message', (answer: JobAnswer) => {
      if (worker === thread) handleAnswer(answer);
    });
    thread.on('error', (error) => {
      if (worker === thread) abandon(isOutOfMemory(error) ? tooComplex('needs too much memory') : error);
    });
    thread.on('exit', (code) => {
      if (worker === thread) abandon(new Error(`the thread for long articles ended with ${code}`));
    });
    return thread;
  }

  function handleAnswer(answer: JobAnswer): void {
    switch (answer.is) {
      case 'ready':
        workDone = workOf(answer.thread);
        begun.work = workDone();
        return;
      case 'done':
        settle((job) => job.resolve(answer.result));
        return;
      case 'failed':
        settle((job) => job.reject(errorOf(answer)));
        return;
    }
  }

  function watch(): void {
    const waited = performance.now() - begun.wait;
    const worked = workDone === undefined ? 0 : workDone() - begun.work;
    const left = Math.min(times.wait - waited, times.work - worked);
    if (left > 0) after(Math.max(left, SHORTEST_WATCH_MS), watch);
    else abandon(tooComplex(`was given up after ${(waited / 1_000).toFixed(1)} s`));
  }

  /** Ends the thread, whatever it is doing; its job fails. */
  function abandon(reason: unknown): void {
    stop();
    settle((job) => job.reject(reason));
  }

  function settle(how: (job: Waiting) => void): void {
    clearTimeout(timer);
    const job = current;
    current = undefined;
    if (job !== undefined) how(job);
    next();
  }

  function rest(): void {
    worker?.unref(); // a process with nothing else to do may end
    after(times.idle, stop).unref();
  }

  function stop(): void {
    clearTimeout(timer);
    const thread = worker;
    worker = undefined;
    workDone = undefined;
    // It ends by itself; how does not matter to anybody.
    void thread?.terminate().catch(() => undefined);
  }

  function after(ms: number, then: () => void): NodeJS.Timeout {
    clearTimeout(timer);
    timer = setTimeout(then, ms);
    return timer;
  }

  return { run };
}

function errorOf({ code, message, details }: Extract<JobAnswer, { is: 'failed' }>): Error {
  return code === undefined ? new Error(message) : new PressmarkError(code, message, { details });
}

function tooComplex(reason: string): PressmarkError {
  const message = `reading or rendering the article's text ${reason}; nothing was changed: simplify its Markdown or its HTML`;
  return new PressmarkError('ARTICLE_TOO_COMPLEX', message);
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
