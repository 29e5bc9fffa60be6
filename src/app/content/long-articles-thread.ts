import { parentPort, workerData } from 'node:worker_threads';
import type { ArticleFormat } from '../../article/format/format.js';
import { type Rendered, renderedHtml } from '../../article/stored-article.js';
import { readConfigFile } from '../../config/config-file.js';
import { type ErrorCode, PressmarkError, type PressmarkErrorOptions } from '../../errors.js';
import { type ContentSettings, contentOf } from './content.js';

/** What the thread is asked: a function of the format, with its arguments. */
export type Work =
  | { readonly kind: 'decode'; readonly args: Parameters<ArticleFormat['decode']> }
  | { readonly kind: 'encode'; readonly args: Parameters<ArticleFormat['encode']> }
  | { readonly kind: 'amend'; readonly args: Parameters<ArticleFormat['amend']> }
  | { readonly kind: 'inState'; readonly args: Parameters<ArticleFormat['inState']> }
  | { readonly kind: 'tagKeys'; readonly tags: readonly string[] }
  | { readonly kind: 'html'; readonly stored: Rendered };

/** What the thread answers; `key` is that of its format at this moment, see `ArticleFormat`. */
export type Outcome =
  | { readonly kind: 'done'; readonly key: string; readonly result: unknown }
  | {
      readonly kind: 'refused';
      readonly key: string;
      readonly code: ErrorCode;
      readonly message: string;
      readonly options: PressmarkErrorOptions;
    };

/** What the thread is started with. */
export type ThreadSettings = ContentSettings & {
  /** The config file with the definition of the generator, whose functions cannot be handed to a thread. */
  readonly definedIn?: string | undefined;
};

// The entry of the thread that reads and writes long articles; `long-articles.ts` starts it and hands it one work at a time.
const port = parentPort;
if (port === null) throw new Error('this file is the entry of a worker thread');
const { definedIn, ...settings } = workerData as ThreadSettings;
const generator =
  definedIn === undefined
    ? settings.generator
    : ((await readConfigFile(definedIn)) as Pick<ThreadSettings, 'generator'>).generator;
const { format } = contentOf({ ...settings, generator });
port.on('message', (work: Work) => port.postMessage(outcomeOf(work)));

function outcomeOf(work: Work): Outcome {
  const { key } = format;
  try {
    return { kind: 'done', key, result: resultOf(work) };
  } catch (error) {
    // An error loses its class on the way to another thread.
    if (!(error instanceof PressmarkError)) throw error;
    const { code, message, details, publicMessage } = error;
    return { kind: 'refused', key, code, message, options: { details, publicMessage } };
  }
}

function resultOf(work: Work) {
  switch (work.kind) {
    case 'decode':
      return format.decode(...work.args);
    case 'encode':
      return format.encode(...work.args);
    case 'amend':
      return format.amend(...work.args);
    case 'inState':
      return format.inState(...work.args);
    case 'tagKeys':
      return work.tags.map(format.tagKey ?? String);
    case 'html':
      return renderedHtml(work.stored);
  }
}
