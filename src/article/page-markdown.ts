import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { renderMarkdown } from './markdown.js';
import type { MarkdownAnswer, MarkdownThreadData } from './markdown-thread.js';
import { workOf } from './thread-work.js';

/** From so many characters on, a thread is asked: in place, the worst that we know takes 300 ms for so many. */
const LONG = 64 * 1024;

/** How much the thread may work for one text, and how long it is waited for on a busy machine, in milliseconds. */
const WORK_MS = 1_500;
const WAIT_MS = 15_000;
/** Between two looks at what it has worked. */
const LOOK_MS = 50;

const MAX_HEAP_MB = 256;

interface Renderer {
  readonly worker: Worker;
  readonly answers: MessagePort;
  /** Counts the answers. */
  readonly answered: Int32Array;
  workDone: (() => number) | undefined;
}

let renderer: Renderer | undefined;

/**
 * The HTML of Markdown for a page. Text that takes too long to render is shown as it stands in the file, so that one
 * article does not keep the pages of others from being built. It waits for another thread, and must not be called in the
 * one that answers deliveries.
 */
export function markdownForPage(text: string): string {
  return text.length <= LONG
    ? renderMarkdown(text)
    : (renderedInTime(text) ?? `<pre>${escaped(text)}</pre>\n`);
}

function renderedInTime(text: string): string | undefined {
  renderer ??= start();
  const { worker, answers, answered } = renderer;
  worker.postMessage(text);
  const begun = performance.now();
  let workBefore = renderer.workDone?.();
  let isOver = false;
  while (!isOver) {
    Atomics.wait(answered, 0, 0, LOOK_MS);
    Atomics.store(answered, 0, 0);
    for (let got = receiveMessageOnPort(answers); got !== undefined; got = receiveMessageOnPort(answers)) {
      const answer = got.message as MarkdownAnswer;
      if (answer.is === 'rendered') return answer.html;
      renderer.workDone = workOf(answer.thread);
    }
    workBefore ??= renderer.workDone?.();
    const worked = renderer.workDone === undefined ? 0 : renderer.workDone() - (workBefore ?? 0);
    isOver = worked > WORK_MS || performance.now() - begun > WAIT_MS;
  }
  renderer = undefined;
  answers.close();
  void worker.terminate();
  return undefined;
}

function start(): Renderer {
  const { port1: answers, port2: port } = new MessageChannel();
  const answered = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL('./markdown-thread.js', import.meta.url), {
    workerData: { port, answered } satisfies MarkdownThreadData,
    transferList: [port],
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  // One that has failed gives no answer, which is noticed; a process with nothing else to do may end.
  worker.on('error', () => undefined).unref();
  answers.unref();
  return { worker, answers, answered, workDone: undefined };
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
