import { parentPort, workerData } from 'node:worker_threads';
import { escapeUTF8 } from 'entities';
import type { NewArticle } from '../../article/format/encode.js';
import { readConfigFile } from '../../config/config-file.js';
import { problemOf } from '../../deploy/live/page-problem.js';
import { PressmarkError } from '../../errors.js';
import { textWork } from '../../store/catalog/content-folder.js';
import { readDelivery, readJson } from '../../webhook/events/read-delivery.js';
import { readIncoming } from '../../webhook/events/read-incoming.js';
import { apart, compared } from '../articles/compare-articles.js';
import { editableText, formFields, readEntered } from '../articles/person-form.js';
import {
  type Answer,
  type NewFile,
  type Outcome,
  steadyMs,
  type ThreadSettings,
  type ThreadWork,
  type Work,
} from './article-work.js';
import { type ContentSettings, contentOf } from './content.js';

// The entry of the thread that reads and writes the text of articles; `article-codec.ts` starts it.
const port = parentPort;
if (port === null) throw new Error('this file is the entry of a worker thread');
const settings = workerData as ThreadSettings;
const content = contentOf(await withGenerator(settings));
const texts = textWork(content);
const work: ThreadWork = {
  ...texts,
  readDelivery,
  readIncoming,
  readJson,
  pageProblem: problemOf,
  encode,
  editable: (stored) => editableText(stored, content.format),
  form: (entered, now) =>
    readEntered(entered, now && { article: now.article, editable: editableText(now, content.format) }),
  compared,
  apart,
  escaped: (plain) => plain.map((text) => escapeUTF8(text)),
  formFields,
};
const startedAt = steadyMs();
let last = Promise.resolve();
port.on('message', (work: Work) => {
  last = last.then(async () => port.postMessage(await answerTo(work)));
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
    if (steadyMs() - Math.max(askedAt, startedAt) > settings.limitMs)
      throw new PressmarkError('RECEIVER_BUSY', 'too many articles wait; send it again');
    return { kind: 'done', result: await Reflect.apply(work[kind], undefined, args) };
  } catch (error) {
    // An error loses its class on the way to another thread.
    if (!(error instanceof PressmarkError)) return { kind: 'failed', error };
    const { code, message, details, publicMessage } = error;
    return { kind: 'refused', code, message, options: { details, publicMessage } };
  }
}

function encode(given: NewArticle, path: string): NewFile {
  const { article, ...file } = texts.encode(given, path);
  const { revision, body } = article;
  return { ...file, revision, ...(body !== given.body && { body }) };
}
