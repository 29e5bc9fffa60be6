import { parentPort, workerData } from 'node:worker_threads';
import { renderedHtml } from '../../article/stored-article.js';
import { readConfigFile } from '../../config/config-file.js';
import { PressmarkError } from '../../errors.js';
import { contentOf } from './content.js';
import type { Outcome, ThreadSettings, Work } from './long-articles.js';

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
