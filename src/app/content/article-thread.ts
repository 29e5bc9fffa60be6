import { parentPort, workerData } from 'node:worker_threads';
import { escapeUTF8 } from 'entities';
import type { StoredArticle } from '../../article/stored-article.js';
import { readConfigFile } from '../../config/config-file.js';
import { problemOf } from '../../deploy/live/page-problem.js';
import { type ErrorCode, PressmarkError, type PressmarkErrorOptions } from '../../errors.js';
import type { ArticleFields } from '../../host/articles/edits.js';
import { textWork } from '../../store/catalog/content-folder.js';
import { readDelivery, readIncoming, readJson } from '../../webhook/events/read-incoming.js';
import { apart, compared } from '../articles/person/compare.js';
import { editableText, formFields, readEntered } from '../articles/person/entered.js';
import { type ContentSettings, contentOf } from './content.js';

// The entry of the thread that reads and writes the text of articles; `article-codec.ts` starts it.

/** The start data of the thread. */
export type ThreadSettings = ContentSettings & {
  /** How long an article may wait for its turn, in milliseconds. */
  readonly limitMs: number;
  /** The config file that defines the generator, whose functions cannot be passed to a thread. */
  readonly definedIn?: string | undefined;
};

/** Work for the thread. */
export interface Work {
  readonly kind: keyof ThreadWork;
  readonly args: Parameters<ThreadWork[keyof ThreadWork]>;
  /** By `process.hrtime`, a clock that all threads share and that is never set back, in nanoseconds. */
  readonly askedAt: bigint;
}

/** The thread's answer; answers come in the order of the work. */
export type Answer =
  | { readonly kind: 'done'; readonly result: unknown }
  | {
      readonly kind: 'refused';
      readonly code: ErrorCode;
      readonly message: string;
      readonly options: PressmarkErrorOptions;
    }
  /** Any error but a `PressmarkError`. */
  | { readonly kind: 'failed'; readonly error: unknown }
  /** The message could not be read, as it is nested thousands of levels deep. */
  | { readonly kind: 'unreadable' };

/** A message from the thread; the first one is `ready`. */
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
  /** See `readEntered`. @param now the present article; undefined for a new one. */
  form: (entered: Partial<ArticleFields>, now: StoredArticle | undefined) =>
    readEntered(entered, now && { article: now.article, editable: editableText(now, content.format) }),
  compared,
  apart,
  /** Escapes texts for HTML. */
  escaped: (plain: readonly string[]): readonly string[] => plain.map((text) => escapeUTF8(text)),
  formFields,
};

/** The functions of the thread. */
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
    // The time before the thread started does not count.
    const waited = process.hrtime.bigint() - (askedAt > startedAt ? askedAt : startedAt);
    if (waited > settings.limitMs * 1e6)
      throw new PressmarkError('RECEIVER_BUSY', 'too many articles are waiting; send it again');
    return { kind: 'done', result: await Reflect.apply(work[kind], undefined, args) };
  } catch (error) {
    // An error loses its class on the way to another thread.
    if (!(error instanceof PressmarkError)) return { kind: 'failed', error };
    const { code, message, details, publicMessage } = error;
    return { kind: 'refused', code, message, options: { details, publicMessage } };
  }
}
