import { posix } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { type ErrorCode, messageOf, PressmarkError } from '../errors.js';
import type { Article } from './article.js';
import { type Rendered, renderedHtml, type StoredArticle } from './codec.js';
import type { ArticleFormat, BodyKind } from './format.js';
import { yamlLibrary } from './front-matter/libraries.js';
import type { ProvenAddress } from './mapping.js';
import { loadMarkdown } from './markdown.js';
import { ownThread } from './thread-work.js';

/** What is done with an article's file in any thread: all that is given and all that comes back is plain data. */
const JOBS = {
  /** The extension of a new article's file, with its dot. */
  extension: (format: ArticleFormat, draft: Pick<Article, 'body' | 'contentHtml'>) =>
    posix.extname(format.pathFor('article.md', draft)),
  /** The file of a new article, and what is not in the article that was given. */
  encodeFirst: (format: ArticleFormat, article: Omit<Article, 'revision'>, path: string) => {
    const { text, address, article: stored } = format.encodeFirst(article, path);
    return { text, revision: stored.revision, body: stored.body, ...(address !== undefined && { address }) };
  },
  decode: (format: ArticleFormat, text: string, path: string) => format.decode(text, path),
  amend: (
    format: ArticleFormat,
    previous: string,
    stored: StoredArticle,
    next: Article,
    path: string,
    storedBody?: BodyKind,
  ) => format.amend(previous, stored, next, path, storedBody),
  /** The key of each tag. */
  tagKeys: ({ tagKey = String }: ArticleFormat, tags: readonly string[]) => tags.map((tag) => tagKey(tag)),
  html: (_: ArticleFormat, stored: Rendered) => renderedHtml(stored),
};

/** The name of a job. */
export type FormatJob = keyof typeof JOBS;

/** What a job is given besides the format. */
export type JobInput<Job extends FormatJob> =
  Parameters<(typeof JOBS)[Job]> extends [ArticleFormat, ...infer Input] ? Input : never;

/** What a job gives back. */
export type JobResult<Job extends FormatJob> = ReturnType<(typeof JOBS)[Job]>;

/** Does a job at once. */
export function doJob<Job extends FormatJob>(
  format: ArticleFormat,
  job: Job,
  input: JobInput<Job>,
): JobResult<Job> {
  // TypeScript does not see that the function and its input are of one job.
  const perform = JOBS[job] as unknown as (format: ArticleFormat, ...input: unknown[]) => JobResult<Job>;
  return perform(format, ...input);
}

/** A job that a thread is asked for. */
export interface JobRequest {
  readonly job: FormatJob;
  readonly input: readonly unknown[];
  /** The proof of the address of the file that the job is about, as the asking thread knows it. */
  readonly proof: ProvenAddress | undefined;
}

/** What a thread answers: first that it is ready, then one answer for each request. */
export type JobAnswer =
  | {
      readonly is: 'ready';
      /** See `ownThread`. */
      readonly thread: string | undefined;
    }
  | { readonly is: 'done'; readonly result: unknown }
  | {
      readonly is: 'failed';
      /** Undefined for an error that is not in the error table. */
      readonly code: ErrorCode | undefined;
      readonly message: string;
      readonly details: Readonly<Record<string, string>>;
    };

/**
 * Does jobs for another thread; see `createFormatThread`.
 *
 * @param formatWith the format in which the given proof is the only one that there is.
 */
export function serveFormatJobs(
  port: MessagePort,
  formatWith: (proof: () => ProvenAddress | undefined) => ArticleFormat,
): void {
  // While nothing is waited for: a job has little time.
  loadMarkdown();
  yamlLibrary();
  let proof: ProvenAddress | undefined;
  const format = formatWith(() => proof);
  port.on('message', (request: JobRequest) => {
    proof = request.proof;
    port.postMessage(answerTo(request, format));
  });
  port.postMessage({ is: 'ready', thread: ownThread() } satisfies JobAnswer);
}

function answerTo({ job, input }: JobRequest, format: ArticleFormat): JobAnswer {
  try {
    return { is: 'done', result: doJob(format, job, input as JobInput<typeof job>) };
  } catch (error) {
    const known = error instanceof PressmarkError ? error : undefined;
    return { is: 'failed', code: known?.code, message: messageOf(error), details: known?.details ?? {} };
  }
}
