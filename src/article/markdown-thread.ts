import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { loadMarkdown, renderMarkdown } from './markdown.js';
import { ownThread } from './thread-work.js';

/** What the thread that renders long Markdown for pages is given. */
export interface MarkdownThreadData {
  readonly port: MessagePort;
  /** Set to 1 with each answer, for which the other thread waits. */
  readonly answered: Int32Array;
}

/** What it answers: first that it is ready, then one answer for each text. */
export type MarkdownAnswer =
  | { readonly is: 'ready'; readonly thread: string | undefined }
  | { readonly is: 'rendered'; readonly html: string };

// The entry of the thread; `page-markdown.ts` starts it.
const { port, answered } = workerData as MarkdownThreadData;

function answer(message: MarkdownAnswer): void {
  port.postMessage(message);
  Atomics.store(answered, 0, 1);
  Atomics.notify(answered, 0);
}

loadMarkdown();
parentPort?.on('message', (text: string) => answer({ is: 'rendered', html: renderMarkdown(text) }));
answer({ is: 'ready', thread: ownThread() });
