import { parentPort, workerData } from 'node:worker_threads';
import { escapeUTF8 } from 'entities';
import type { StoredArticle } from '../../article/stored-article.js';
import { readConfigFile } from '../../config/config-file.js';
import { problemOf } from '../../deploy/live/page-problem.js';
import { type ErrorCode, PressmarkError, type PressmarkErrorOptions } from '../../errors.js';
import type { ArticleFields } from '../../host/articles/edits.js';
import { textWork } from '../../store/catalog/content-folder.js';
import { readDelivery, readJson } from '../../webhook/events/read-delivery.js';
import { readIncoming } from '../../webhook/events/read-incoming.js';
import { apart, compared } from '../articles/person/compare.js';
import { editableText, formFields, readEntered } from '../articles/person/entered.js';
import { type ContentSettings, contentOf } from './content.js';

// The entry of the thread that reads and writes the text of articles; `article-codec.ts` starts it.

/** What the thread is started with. */
export type ThreadSettings = ContentSettings & {
  /** For how long an article may wait for its turn, in milliseconds. */
  readonly limitMs: number;
  /** The config file with the definition of the generator, whose functions cannot be handed to a thread. */
  readonly definedIn?: string | undefined;
};

/** What the thread is asked. */
export interface Work {
  readonly kind: keyof ThreadWork;
  readonly args: Parameters<ThreadWork[keyof ThreadWork]>;
  /** By the clock that all threads share and nobody sets, `process.hrtime`, in nanoseconds. */
  readonly askedAt: bigint;
}

/** What the thread answers, in the order in which it was asked. */
export type Answer =
  | { readonly kind: 'done'; readonly result: unknown }
  | {
      readonly kind: 'refused';
      readonly code: ErrorCode;
      readonly message: string;
      readonly options: PressmarkErrorOptions;
    }
  /** An error that is not one of ours. */
  | { readonly kind: 'failed'; readonly error: unknown }
  /** What the one thread has sent cannot be read by the other, as it is nested thousands of levels deep. */
  | { readonly kind: 'unreadable' };

/** What comes from the thread; first of all, that it is ready. */
export type Outcome = Answer | { readonly kind: 'ready' };

const port = parentPort;
if (port === null) throw new Error('this file is the entry of a worker thread');
const settings = workerData as ThreadSettings;
const content = contentOf(await withGenerator(settings));
const work = {
  ...textWork(content),
  readDelivery,
  readIncoming,
  readJson,
  pageProblem: problemOf,
  /** See `editableText`. */
  editable: (stored: StoredArticle) => editableText(stored, content.format),
  /** See `readEntered`. @param now the article as it is; undefined for a new one. */
  form: (entered: Partial<ArticleFields>, now: StoredArticle | undefined) =>
    readEntered(entered, now && { article: now.article, editable: editableText(now, content.format) }),
  compared,
  apart,
  /** Texts as HTML that shows them. */
  escaped: (plain: readonly string[]): readonly string[] => plain.map((text) => escapeUTF8(text)),
  formFields,
};

/** What the thread can do. */
export type ThreadWork = typeof work;

const startedAt = process.hrtime.bigint();
let last = Promise.resolve();
port.on('message', (asked: Work) => {
  last = last.then(async () => port.postMessage(await answerTo(asked)));
});
port.on('messageerror', () => {
  last = last.then(() => port.postMessage({ kind: 'unreadable' } satisfies Answer));
});
port.postMessage({ kind: 'ready' } satisfies Outcome);

async function withGenerator({ definedIn, ...settings }: ThreadSettings): Promise<ContentSettings> {
  if (definedIn === undefined) return settings;
  const { generator } = (await readConfigFile(definedIn)) as Pick<ContentSettings, 'generator'>;
  return { ...settings, generator };
}

async function answerTo({ kind, args, askedAt }: Work): Promise<Answer> {
  try {
    // Waiting counts from the start of the thread.
    const waited = process.hrtime.bigint() - (askedAt > startedAt ? askedAt : startedAt);
    if (waited > settings.limitMs * 1e6)
      throw new PressmarkError('RECEIVER_BUSY', 'too many articles wait; send it again');
    return { kind: 'done', result: await Reflect.apply(work[kind], undefined, args) };
  } catch (error) {
    // An error loses its class on the way to another thread.
    if (!(error instanceof PressmarkError)) return { kind: 'failed', error };
    const { code, message, details, publicMessage } = error;
    return { kind: 'refused', code, message, options: { details, publicMessage } };
  }
}
