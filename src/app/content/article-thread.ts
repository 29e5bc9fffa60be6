import { parentPort, workerData } from 'node:worker_threads';
import type { NewArticle } from '../../article/format/encode.js';
import { readConfigFile } from '../../config/config-file.js';
import { PressmarkError } from '../../errors.js';
import { textWork } from '../../store/catalog/entry.js';
import { type NewFile, type Outcome, steadyMs, type ThreadSettings, type Work } from './article-work.js';
import { type ContentSettings, contentOf } from './content.js';

// The entry of the thread that reads and writes the text of articles; `article-codec.ts` starts it.
const port = parentPort;
if (port === null) throw new Error('this file is the entry of a worker thread');
const settings = workerData as ThreadSettings;
const texts = textWork(contentOf(await withGenerator(settings)));
const startedAt = steadyMs();
let last: Promise<void> = Promise.resolve();
port.on('message', (work: Work) => {
  last = last.then(async () => port.postMessage(await outcomeOf(work))); // one after the other, as they are answered
});
port.postMessage({ kind: 'ready' } satisfies Outcome);

async function withGenerator({ definedIn, ...settings }: ThreadSettings): Promise<ContentSettings> {
  if (definedIn === undefined) return settings;
  const { generator } = (await readConfigFile(definedIn)) as Pick<ContentSettings, 'generator'>;
  return { ...settings, generator };
}

async function outcomeOf({ number, kind, args, askedAt }: Work): Promise<Outcome> {
  try {
    // The start of a thread is nobody's fault.
    if (steadyMs() - Math.max(askedAt, startedAt) > settings.limitMs)
      throw new PressmarkError('RECEIVER_BUSY', 'too many articles wait; send it again');
    return { kind: 'done', number, result: Reflect.apply(await workOf(kind), undefined, args) };
  } catch (error) {
    // An error loses its class on the way to another thread.
    if (!(error instanceof PressmarkError)) return { kind: 'failed', number, error };
    const { code, message, details, publicMessage } = error;
    return { kind: 'refused', number, code, message, options: { details, publicMessage } };
  }
}

async function workOf(kind: Work['kind']) {
  if (kind === 'encode') return encode;
  if (kind !== 'delivery') return texts[kind];
  // Loaded when it is needed: few bodies are long, and zod is large.
  const { readDelivery } = await import('../../webhook/read-delivery.js');
  return readDelivery;
}

function encode(given: NewArticle, path: string): NewFile {
  const { article, ...file } = texts.encode(given, path);
  const { revision, body } = article;
  return { ...file, revision, ...(body !== given.body && { body }) };
}
