import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { NewArticle } from '../../article/format/encode.js';
import { isAsSent } from '../../article/stored-article.js';
import { messageOf, PressmarkError } from '../../errors.js';
import { type Fingerprint, fingerprintOf } from '../../fs/fingerprint.js';
import { type ReadText, readText } from '../../fs/read-text.js';
import type { Log } from '../../log.js';
import { type ContentFolder, type LongArticles, sameFingerprint } from '../../store/catalog/entry.js';
import { statOf } from '../../store/catalog/scan.js';
import type { ContentSettings } from './content.js';
import type { Outcome, ThreadSettings, Work } from './long-articles-thread.js';

/** From so many bytes on an article is long. The worst text below it takes the answering thread some 60 ms at a time. */
const LONG = 24 * 1_024;

/** The same for Markdown that is to be rendered. */
const LONG_MARKDOWN = 8 * 1_024;

/**
 * For how long the thread may work on one article, and an article wait for its turn, in milliseconds. Both together are the
 * time for which other receivers wait for the store's lock.
 */
const LIMIT_MS = 10_000;

/** A thread that has nothing to do for so long is ended, in milliseconds. */
const IDLE_MS = 60_000;

/** Characters of decoded files that are kept until they are asked for. */
const MOST_KEPT = 16_000_000;

/** What a value takes in a file besides its text, about. */
const KEY_LENGTH = 8;

/** What could not be done to the article. */
const DONE = {
  decode: 'read',
  encode: 'written',
  amend: 'updated',
  inState: 'changed',
  tagKeys: 'compared by its tags',
  html: 'rendered',
};

/** A long file that was decoded, until its text is read once more. */
interface Kept {
  readonly fingerprint: Fingerprint;
  readonly text: string;
  readonly outcome: Outcome;
}

/**
 * Reads and writes long articles in a thread, under a time limit, so that no article keeps the receiver from answering.
 * The thread is started with the first of them, and gets the settings of the content alone.
 *
 * @param limitMs for how long the thread may work on one article. @default 10 s
 * @returns undefined where the generator is defined by functions that are in no config file; then the calling thread does it all.
 */
export function createLongArticles(
  content: ContentFolder,
  settings: ContentSettings & { readonly configFile?: string | undefined },
  log: Log,
  limitMs = LIMIT_MS,
): (LongArticles & { close(): Promise<void> }) | undefined {
  const data = threadSettings(settings);
  if (data === undefined) return undefined;
  const { format } = content;
  const kept = new Map<string, Kept>();
  let thread: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let last: Promise<unknown> = Promise.resolve();

  /** One work after the other: the time limit is that of a single article. */
  function outcomeOf(work: Work): Promise<Outcome> {
    const asked = performance.now();
    const outcome = last.then(() => {
      if (performance.now() - asked <= limitMs) return inThread(work);
      throw new PressmarkError('RECEIVER_BUSY', 'too many long articles wait; send it again');
    });
    last = outcome.catch(() => undefined);
    return outcome;
  }

  async function inThread(work: Work): Promise<Outcome> {
    clearTimeout(idle);
    thread ??= startThread();
    thread.ref();
    const timeout = AbortSignal.timeout(limitMs);
    const over = new AbortController();
    try {
      thread.postMessage(work);
      const signal = AbortSignal.any([timeout, over.signal]);
      return await Promise.race([answerOf(thread, signal), endOf(thread, signal)]);
    } catch (error) {
      await end();
      const reason = timeout.aborted ? `that took longer than ${limitMs / 1_000} s` : messageOf(error);
      throw new PressmarkError('STORE_FAILED', `a long article could not be ${DONE[work.kind]}: ${reason}`, {
        cause: error,
      });
    } finally {
      over.abort();
      thread?.unref();
      idle = setTimeout(end, IDLE_MS).unref();
    }
  }

  function startThread(): Worker {
    const worker = new Worker(new URL('./long-articles-thread.js', import.meta.url), { workerData: data });
    // What it says stands in the rejection of the work; an error without a listener would end the process.
    worker.on('error', (error) => log.debug({ err: error }, 'the thread of long articles failed'));
    return worker;
  }

  async function end(): Promise<void> {
    const ending = thread;
    thread = undefined;
    kept.clear();
    await ending?.terminate();
  }

  async function result<Result>(work: Work): Promise<Result> {
    return resultIn(await outcomeOf(work));
  }

  function keptOf(path: string): Kept | undefined {
    const known = kept.get(path);
    return known?.outcome.key === format.key ? known : undefined;
  }

  async function readAhead(path: string): Promise<void> {
    let file: ReadText;
    try {
      file = readText(join(content.root, path));
    } catch {
      return; // who reads it next says why it cannot be read
    }
    const { text, stat } = file;
    const outcome = await outcomeOf({ kind: 'decode', args: [text, path] });
    kept.delete(path);
    kept.set(path, { fingerprint: fingerprintOf(stat), text, outcome });
    let size = 0;
    for (const [other, { text }] of [...kept].reverse()) {
      size += text.length;
      if (size > MOST_KEPT && other !== path) kept.delete(other);
    }
  }

  return {
    readAhead(path, known) {
      const stat = statOf(join(content.root, path));
      if (!stat?.isFile() || stat.size < LONG) return undefined;
      const isRead = [known, keptOf(path)?.fingerprint].some(
        (one) => one !== undefined && sameFingerprint(one, fingerprintOf(stat)),
      );
      return isRead ? undefined : readAhead(path);
    },
    decoded(text, path) {
      const known = keptOf(path);
      return known?.text === text ? resultIn(known.outcome) : undefined;
    },
    decode: (...args) => (args[0].length < LONG ? undefined : result({ kind: 'decode', args })),
    encode: (...args) => (isLong(args[0]) ? result({ kind: 'encode', args }) : undefined),
    amend: (...args) =>
      args[0].length < LONG && !isLong(args[2]) ? undefined : result({ kind: 'amend', args }),
    inState: (...args) => (args[0].length < LONG ? undefined : result({ kind: 'inState', args })),
    tagKeys: (tags) => (lengthOf(tags) < LONG ? undefined : result({ kind: 'tagKeys', tags })),
    html({ article: { body, contentHtml }, bodyEdited, bodyKind }) {
      const stored = { article: { body, contentHtml }, bodyEdited, ...(bodyKind && { bodyKind }) };
      return isAsSent(stored) || body.length < LONG_MARKDOWN ? undefined : result({ kind: 'html', stored });
    },
    async close() {
      clearTimeout(idle);
      await last;
      await end();
    },
  };
}

function threadSettings(
  settings: ContentSettings & { readonly configFile?: string | undefined },
): ThreadSettings | undefined {
  const { dir, siteUrl, endpoint, content, output, templates, articles, build, site } = settings;
  const { configFile, generator } = settings;
  const common = { dir, siteUrl, endpoint, content, output, templates, articles, build, site };
  if (typeof generator === 'string' || !('mapping' in generator)) return { ...common, generator };
  return configFile === undefined ? undefined : { ...common, generator: 'plain', definedIn: configFile };
}

function resultIn<Result>(outcome: Outcome): Result {
  if (outcome.kind === 'refused') throw new PressmarkError(outcome.code, outcome.message, outcome.options);
  return outcome.result as Result;
}

/** Whether an article's file will be long. */
function isLong({ tags, image, ...article }: NewArticle): boolean {
  const { title, description, body, contentHtml, jsonLd, keyword, author } = article;
  return (
    lengthOf([title, description, body, contentHtml, jsonLd, keyword, author, image ?? '', ...tags]) >= LONG
  );
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length + KEY_LENGTH, 0);
}

async function answerOf(thread: Worker, signal: AbortSignal): Promise<Outcome> {
  const [outcome] = await once(thread, 'message', { signal });
  return outcome as Outcome;
}

async function endOf(thread: Worker, signal: AbortSignal): Promise<never> {
  await once(thread, 'exit', { signal });
  throw new Error('its thread has ended');
}
