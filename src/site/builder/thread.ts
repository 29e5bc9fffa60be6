import type { MessagePort } from 'node:worker_threads';
import { messageOf } from '../../errors.js';
import { lowerPriority } from '../../fs/process-priority.js';
import { framedPage } from '../../host/admin/framed-page.js';
import type { Log } from '../../log.js';
import type { SiteReport } from './build-report.js';
import type { Builder, BuiltArticlePage } from './builder.js';

// The builder's thread, and the messages between it and the main thread; `thread-client.ts` is the main thread's side. Each
// question has one answer.

/** A question from the main thread to the builder's thread. */
export type Question =
  /** Builds everything, or the changes of these files below the content folder; see `Builder.build`. */
  | {
      readonly kind: 'build';
      readonly work: readonly string[] | 'all';
      readonly anew: readonly string[];
    }
  /** Makes the pages of the articles in these files first; see `Builder.first`. */
  | { readonly kind: 'first'; readonly paths: readonly string[] }
  /** Lists the pages of articles; see `Builder.pages`. */
  | { readonly kind: 'pages' }
  /** Renders the page of a draft, with links relative to `base`; see `Builder.preview`. */
  | { readonly kind: 'preview'; readonly path: string; readonly text: string; readonly base: string }
  /** Ends the thread; a build of everything is aborted. */
  | { readonly kind: 'close' };

/** The answers, by the kind of question. */
export interface Answers {
  readonly build: SiteReport;
  readonly first: undefined;
  readonly pages: readonly BuiltArticlePage[] | undefined;
  readonly preview: string | undefined;
  readonly close: undefined;
}

export type Request = { readonly id: number } & Question;

/** The answer to a question; `failed` is the reason if there is none. */
export type Answer = { readonly id: number } & (
  | { readonly result: Answers[keyof Answers] }
  | { readonly failed: string }
);

/**
 * Answers the main thread's questions in the builder's thread, which has its own log.
 *
 * @param onClosed is called after `close`; ends the thread.
 */
export function serveBuilds(
  port: MessagePort,
  builder: Pick<Builder, 'build' | 'first' | 'pages' | 'preview' | 'close'>,
  log: Log,
  onClosed: () => void,
): void {
  // Deliveries have priority. Only Linux has priorities per thread; on other systems this would slow down the whole process.
  if (process.platform === 'linux') lowerPriority(0);
  port.on('message', (request: Request) => void answer(request));

  async function answer(request: Request): Promise<void> {
    const { id, kind } = request;
    try {
      port.postMessage({ id, result: await resultOf(request) } satisfies Answer);
    } catch (error) {
      log.debug({ err: error, kind }, 'the builder failed');
      port.postMessage({ id, failed: messageOf(error) } satisfies Answer);
    }
    if (kind === 'close') onClosed();
  }

  async function resultOf(question: Question): Promise<Answers[keyof Answers]> {
    switch (question.kind) {
      case 'build':
        return builder.build(question.work, { anew: question.anew });
      case 'first':
        builder.first(question.paths);
        return undefined;
      case 'pages':
        return builder.pages();
      case 'preview': {
        const page = await builder.preview(question.path, question.text);
        return page && framedPage(page, question.base);
      }
      case 'close':
        await builder.close();
        return undefined;
    }
  }
}
