import type { Worker } from 'node:worker_threads';
import { nextIteration } from '../event-loop.js';
import type { Article } from './article.js';
import type { FirstFile, Rendered, StoredArticle } from './codec.js';
import type { Amended, ArticleFormat, BodyKind } from './format.js';
import { doJob, type FormatJob, type JobInput } from './format-jobs.js';
import { createFormatThread } from './format-thread.js';

/** A new article's file; its bytes where they were made on the way. */
export type NewFile = Omit<FirstFile, 'bytes'> & Partial<Pick<FirstFile, 'bytes'>>;

/**
 * An article format for the thread that answers deliveries: short texts are worked on at once, long ones in another
 * thread, so that nothing holds it up. Each call throws what that of `ArticleFormat` throws, and PressmarkError
 * ARTICLE_TOO_COMPLEX where a long text takes too long.
 */
export interface FormatWork {
  /** `pathFor` for one draft, for any pattern. */
  pathFor(draft: Pick<Article, 'body' | 'contentHtml'>): Promise<(pattern: string) => string>;
  encodeFirst(
    article: Omit<Article, 'revision'>,
    path: string,
    allocate?: (size: number) => Buffer,
  ): Promise<NewFile>;
  decode(text: string, path: string): Promise<StoredArticle>;
  amend(
    previous: string,
    stored: StoredArticle,
    next: Article,
    path: string,
    storedBody?: BodyKind,
  ): Promise<Amended>;
  /** `tagKey` for these tags; undefined where the format has none. */
  tagKeys(tags: readonly string[]): Promise<((tag: string) => string) | undefined>;
  /** The HTML that an article is shown with; see `renderedHtml`. */
  html(stored: Rendered): Promise<string>;
}

/**
 * From so many characters on, a text is long. The worst that we know takes half of the 50 ms that anything may take on
 * the thread that answers deliveries; asking another thread takes less than one.
 */
const LONG = 64 * 1024;

/** The same for Markdown, whose renderer takes eight times as long where it meets many brackets. */
const LONG_MARKDOWN = 8 * 1024;

/** What makes the renderer slow in short texts, too: many brackets one after the other, and quotes in quotes. */
const NESTED = /(?:\[[^[\]\n]{0,3}){50}|^(?:[ \t]*>){10}/m;

const isLongToRender = (markdown: string) => markdown.length > LONG_MARKDOWN || NESTED.test(markdown);

/** The same for tags, each of which has a key to be made. */
const LONG_TAGS = 16 * 1024;

/**
 * @param start starts the thread for long texts, which calls `serveFormatJobs`; without it, everything is done at once.
 */
export function createFormatWork(format: ArticleFormat, start?: () => Worker): FormatWork {
  const thread = start && createFormatThread(start);

  async function perform<Job extends FormatJob>(job: Job, input: JobInput<Job>, path?: string) {
    const proof = path === undefined ? undefined : format.proofOf(path);
    if (thread === undefined) return doJob(format, job, input);
    const result = await thread.run(job, input, proof);
    // Taking over a long result takes a while, and so does what follows: others get a turn in between.
    await nextIteration();
    return result;
  }

  const isLong = (value: unknown) => sizeOf(value, LONG) > LONG;
  const isLongMarkdown = ({ body, contentHtml }: Pick<Article, 'body' | 'contentHtml'>) =>
    format.readsMarkdown && body !== contentHtml && isLongToRender(body);

  async function pathFor(draft: Pick<Article, 'body' | 'contentHtml'>) {
    const { body, contentHtml } = draft;
    const isInPlace = !format.readsMarkdown || !(isLong({ body, contentHtml }) || isLongMarkdown(draft));
    if (isInPlace) return (pattern: string) => format.pathFor(pattern, draft);
    const extension = await perform('extension', [{ body, contentHtml }]);
    return (pattern: string) => pattern.replace(/\.\w+$/, extension);
  }

  async function encodeFirst(
    article: Omit<Article, 'revision'>,
    path: string,
    allocate?: (size: number) => Buffer,
  ): Promise<NewFile> {
    if (!isLong(article) && !isLongMarkdown(article)) return format.encodeFirst(article, path, allocate);
    const { revision, body, ...file } = await perform('encodeFirst', [article, path], path);
    return { ...file, article: { revision, ...article, body } };
  }

  async function decode(text: string, path: string): Promise<StoredArticle> {
    return isLong(text) ? perform('decode', [text, path], path) : format.decode(text, path);
  }

  async function amend(
    previous: string,
    stored: StoredArticle,
    next: Article,
    path: string,
    storedBody?: BodyKind,
  ): Promise<Amended> {
    const isInPlace = !isLong(previous) && !isLong(next) && !isLongMarkdown(next);
    return isInPlace
      ? format.amend(previous, stored, next, path, storedBody)
      : perform('amend', [previous, stored, next, path, storedBody], path);
  }

  async function tagKeys(tags: readonly string[]): Promise<((tag: string) => string) | undefined> {
    const { tagKey } = format;
    if (tagKey === undefined || sizeOf(tags, LONG_TAGS) <= LONG_TAGS) return tagKey;
    const keys = await perform('tagKeys', [tags]);
    const known = new Map(tags.map((tag, index) => [tag, keys[index]]));
    await nextIteration();
    return (tag) => known.get(tag) ?? tagKey(tag);
  }

  async function html(stored: Rendered): Promise<string> {
    const { article, bodyEdited, bodyKind } = stored;
    const { body, contentHtml } = article;
    // What is given as it came is given at once, whatever its length.
    const isGiven = !bodyEdited && contentHtml !== '';
    const isInPlace = isGiven || !(isLong({ body, contentHtml }) || isLongToRender(body));
    const given: Rendered = {
      article: { body, contentHtml },
      bodyEdited,
      ...(bodyKind !== undefined && { bodyKind }),
    };
    return isInPlace ? doJob(format, 'html', [given]) : perform('html', [given]);
  }

  return { pathFor, encodeFirst, decode, amend, tagKeys, html };
}

/** So many characters a list's item counts at least: many short ones are work, too. */
const ITEM = 24;

/**
 * The characters of an article, or of a part of it, about.
 *
 * @param enough beyond so many, the rest is not counted.
 */
function sizeOf(value: unknown, enough: number): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return ITEM;
  let size = 0;
  for (const part of Object.values(value)) {
    size += Math.max(ITEM, sizeOf(part, enough));
    if (size > enough) return size;
  }
  return size;
}
