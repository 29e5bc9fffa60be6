import type { MessagePort } from 'node:worker_threads';
import { escapeUTF8 } from 'entities';
import { messageOf } from '../../errors.js';
import { lowerPriority } from '../../fs/process-priority.js';
import type { Log } from '../../log.js';
import type { SiteReport } from './build-report.js';
import { type Builder, BuildStopped, type BuiltArticlePage } from './builder.js';

// The builder runs in a thread of its own: here is its end, and what passes between it and the main thread, whose end is
// `site/plugin.ts`. What `builder.ts` makes goes back as one message for each build.

/** What the main thread asks of the builder's thread. */
export type Request =
  /**
   * Builds everything, or what these files below the content folder change. The pages of those in `anew` are made in any case.
   * `at` is the main thread's `performance.now()`.
   */
  | {
      readonly kind: 'build';
      readonly paths: readonly string[] | 'all';
      readonly anew: readonly string[];
      readonly at: number;
    }
  | ({ readonly id: number } & Question)
  /** Ends the thread; a build of everything is not waited for. */
  | { readonly kind: 'close' };

/** What has an answer of its own, by its number. */
export type Question =
  /** Lists the pages of articles; see `Builder.pages`. */
  | { readonly kind: 'pages' }
  /** Makes the page of a draft, whose links are relative to `base`; see `Builder.preview`. */
  | { readonly kind: 'preview'; readonly path: string; readonly text: string; readonly base: string };

/** How a build has ended. It has answered all requests for builds up to the one made `at`. */
export type BuildEnd =
  | { readonly kind: 'built'; readonly at: number; readonly report: SiteReport }
  | { readonly kind: 'failed'; readonly at: number; readonly reason: string };

/** The answer to a question. */
export type Answer =
  | { readonly kind: 'pages'; readonly id: number; readonly pages: readonly BuiltArticlePage[] | undefined }
  | { readonly kind: 'preview'; readonly id: number; readonly html: string | undefined }
  | { readonly kind: 'no preview'; readonly id: number; readonly reason: string };

/**
 * Answers the main thread; runs in the builder's thread, whose log writes for itself.
 *
 * @param onClosed called after the request to close; ends the thread.
 */
export function serveBuilds(
  port: MessagePort,
  builder: Pick<Builder, 'build' | 'pages' | 'preview' | 'close'>,
  log: Log,
  onClosed: () => void,
): void {
  /** The build that was asked for last, and when that was, as the main thread says. */
  let last: { readonly build: Promise<SiteReport>; at: number } | undefined;
  // Deliveries go first. Only Linux has priorities per thread; elsewhere this would slow down the whole process.
  if (process.platform === 'linux') lowerPriority(0);
  port.on('message', (request: Request) => {
    if (request.kind === 'build') build(request);
    else if (request.kind === 'pages') post({ kind: 'pages', id: request.id, pages: builder.pages() });
    else if (request.kind === 'preview') void preview(request);
    else void close();
  });

  function post(message: BuildEnd | Answer): void {
    port.postMessage(message);
  }

  /** Several requests may be one build, which is reported once. */
  function build({ paths, anew, at }: Extract<Request, { kind: 'build' }>): void {
    const asked = builder.build(paths, { anew });
    if (last?.build === asked) {
      last.at = at;
      return;
    }
    last = { build: asked, at };
    void report(last);
  }

  async function report(asked: { readonly build: Promise<SiteReport>; readonly at: number }): Promise<void> {
    try {
      const made = await asked.build;
      post({ kind: 'built', at: asked.at, report: made });
    } catch (error) {
      log.debug({ err: error }, 'build failed');
      if (!(error instanceof BuildStopped)) post({ kind: 'failed', at: asked.at, reason: messageOf(error) });
    }
  }

  async function preview({ id, path, text, base }: Extract<Request, { kind: 'preview' }>): Promise<void> {
    try {
      const page = await builder.preview(path, text);
      post({ kind: 'preview', id, html: page && withBase(page, base) });
    } catch (error) {
      post({ kind: 'no preview', id, reason: messageOf(error) });
    }
  }

  async function close(): Promise<void> {
    await builder.close().catch((err: unknown) => log.error({ err }, 'the builder was not closed'));
    onClosed();
  }
}

/** Templates may leave the tag of the head out. */
function withBase(page: string, base: string): string {
  const [start] = /^[\s\S]*?<head(?:\s[^>]*)?>/i.exec(page) ?? /^\s*(?:<!doctype[^>]*>)?/i.exec(page) ?? [''];
  return `${start}<base href="${escapeUTF8(base)}">${page.slice(start.length)}`;
}
