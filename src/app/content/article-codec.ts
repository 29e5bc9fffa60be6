import { Worker } from 'node:worker_threads';
import { messageOf, PressmarkError, quote } from '../../errors.js';
import type { Answer, Outcome, ThreadSettings, ThreadWork, Work } from './article-thread.js';
import type { ContentSettings } from './content.js';

/**
 * How long the thread may work on an article, and how long an article may wait for its turn, in milliseconds. Other receivers
 * wait for the store's lock meanwhile.
 */
const LIMIT_MS = 10_000;

/** How long the thread may take to start, in milliseconds. */
const START_MS = 30_000;

/** How many threads may die while an article waits; at the next death it is refused. */
const MOST_DEATHS = 2;

/** The kinds of work. */
const KINDS = [
  ...['decode', 'encode', 'amend', 'inState', 'storedUrl', 'entry', 'ownTags', 'extension', 'html'],
  ...['htmlOfStored', 'comments', 'keepComments', 'assets', 'readDelivery', 'readIncoming', 'readJson'],
  ...['pageProblem', 'editable', 'form', 'compared', 'apart', 'escaped', 'formFields'],
] as const satisfies readonly (keyof ThreadWork)[];

/** The thread's functions, as promises. */
export type AskedWork = {
  readonly [Kind in (typeof KINDS)[number]]: (
    ...args: Parameters<ThreadWork[Kind]>
  ) => Promise<Awaited<ReturnType<ThreadWork[Kind]>>>;
};

interface Asked {
  readonly work: Work;
  /** The number of threads that died while it waited. */
  readonly deaths: number;
  resolve(result: unknown): void;
  reject(error: PressmarkError): void;
}

/** A codec that works in a thread. */
export interface CodecInThread {
  readonly codec: AskedWork;
  /** Starts the thread now, and not on first use. */
  start(): void;
  /** Ends the thread once its work is done. */
  close(): Promise<void>;
}

/**
 * Reads and writes the text of articles in a thread, so that no article blocks the receiver. An article that takes too long, or
 * whose thread dies, is refused; the articles behind it go to another thread.
 *
 * @param limitMs how long the thread may work on an article. @default 10 s
 * @throws PressmarkError CONFIG_INVALID if the generator is defined by functions outside a config file.
 */
export function createCodecInThread(
  settings: ContentSettings & { readonly configFile?: string | undefined },
  limitMs = LIMIT_MS,
): CodecInThread {
  const data = { ...threadSettings(settings), limitMs };
  /** Unanswered work, in the order of the thread. */
  const waiting: Asked[] = [];
  let last: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let isClosing = false;
  let thread: Worker | undefined;

  function ask(kind: Work['kind'], args: Work['args']): Promise<unknown> {
    const work: Work = { kind, args, askedAt: process.hrtime.bigint() };
    const answer = new Promise<unknown>((resolve, reject) => hand({ work, deaths: 0, resolve, reject }));
    last = answer.catch(() => undefined);
    return answer;
  }

  function hand(asked: Asked): void {
    if (isClosing) throw new PressmarkError('STOPPING', 'the receiver is stopping; send it again');
    thread ??= startThread();
    post(thread, asked.work);
    if (waiting.length === 0) {
      thread.ref();
      timer?.refresh();
    }
    waiting.push(asked);
  }

  function startThread(): Worker {
    const worker = new Worker(new URL('./article-thread.js', import.meta.url), { workerData: data });
    worker.unref();
    let isReady = false;
    let reason = 'its thread has ended';
    const end = (why: string) => {
      if (waiting.length === 0 && isReady) return;
      reason = why;
      void worker.terminate();
    };
    const setLimit = (ms: number, why: string) => {
      clearTimeout(timer);
      timer = setTimeout(end, ms, why).unref();
    };
    setLimit(START_MS, `its thread did not start within ${START_MS / 1_000} s`);
    worker.on('message', (outcome: Outcome) => {
      if (outcome.kind === 'ready') {
        isReady = true;
        // From now on, the limit is for one piece of work; each answer resets it.
        setLimit(limitMs, `that took longer than ${limitMs / 1_000} s`);
        return;
      }
      settleNext(outcome);
    });
    // The event takes the place of an answer.
    worker.on('messageerror', () => settleNext({ kind: 'unreadable' }));
    worker.on('error', (error) => {
      reason = messageOf(error);
    });
    worker.on('exit', () => {
      clearTimeout(timer);
      thread = undefined;
      if (!isClosing) handOn(isReady ? 1 : waiting.length, reason);
    });
    return worker;

    function settleNext(outcome: Answer): void {
      timer?.refresh();
      const asked = waiting.shift();
      if (waiting.length === 0) worker.unref();
      if (asked !== undefined) settle(asked, outcome);
    }
  }

  /** Refuses the work at which a thread died, and passes the waiting work to another thread. */
  function handOn(refused: number, reason: string): void {
    const left = waiting.splice(0);
    for (const asked of left.splice(0, refused)) asked.reject(failed(reason));
    for (const asked of left) {
      const deaths = asked.deaths + 1;
      if (deaths > MOST_DEATHS)
        asked.reject(new PressmarkError('RECEIVER_BUSY', 'too many articles failed; send it again'));
      else hand({ ...asked, deaths });
    }
  }

  const codec = Object.fromEntries(
    KINDS.map((kind) => [kind, (...args: Work['args']) => ask(kind, args)]),
  ) as unknown as AskedWork;
  return {
    codec,
    start() {
      thread ??= startThread();
    },
    async close() {
      await last;
      isClosing = true;
      clearTimeout(timer);
      await thread?.terminate();
    },
  };
}

/** Sends work to the thread. A plugin's data may hold a function or be endless, which cannot be passed to a thread. */
function post(thread: Worker, work: Work): void {
  try {
    thread.postMessage(work);
  } catch (error) {
    throw new PressmarkError(
      'BODY_INVALID',
      `an article that was handed over has values that are not plain data: ${messageOf(error)}`,
    );
  }
}

function settle(asked: Asked, outcome: Answer): void {
  switch (outcome.kind) {
    case 'done':
      asked.resolve(outcome.result);
      break;
    case 'refused':
      asked.reject(new PressmarkError(outcome.code, outcome.message, outcome.options));
      break;
    case 'failed':
      asked.reject(failed(messageOf(outcome.error), outcome.error));
      break;
    case 'unreadable':
      asked.reject(
        new PressmarkError('BODY_INVALID', 'an article has data that is nested too deep; flatten it'),
      );
  }
}

function failed(reason: string, cause?: unknown): PressmarkError {
  return new PressmarkError('STORE_FAILED', `an article could not be processed: ${reason}`, { cause });
}

function threadSettings(
  settings: ContentSettings & { readonly configFile?: string | undefined },
): Omit<ThreadSettings, 'limitMs'> {
  const { dir, siteUrl, endpoint, content, output, templates, articles, build, site } = settings;
  const { configFile, generator } = settings;
  const common = { dir, siteUrl, endpoint, content, output, templates, articles, build, site };
  if (typeof generator === 'string' || !('mapping' in generator)) return { ...common, generator };
  if (configFile === undefined)
    throw new PressmarkError(
      'CONFIG_INVALID',
      `generator ${quote(generator.name)} is defined by functions outside a config file; define it in pressmark.config.js, from which the thread that reads and writes articles loads it`,
    );
  return { ...common, generator: 'plain', definedIn: configFile };
}
