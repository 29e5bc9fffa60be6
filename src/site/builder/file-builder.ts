import { discard } from '../../fs/atomic-write.js';
import type { ArticleLink } from '../../host/page-types.js';
import type { Post } from '../index/article-list.js';
import { sourceOf } from '../outputs/compressed-variants.js';
import { linkOf } from '../render/page.js';
import { HASHED } from '../render/theme-files.js';
import type { BuildWriter } from '../write/writer.js';
import type { BuildSession } from './build-session.js';
import { type RenderJob, type RenderWorker, share } from './render-pool.js';
import type { Site } from './site.js';

/** How often a build goes on with what has changed meanwhile. */
const MOST_PASSES = 5;

/** Pages that are given to a render worker at a time. */
const BATCH = 32;

/** Derived files that are made at a time: the thread pool has work for others, too. */
const DERIVED_AT_ONCE = 3;

export interface FileBuildOptions {
  /** Called after each file: lets others do something in between, or throws to end the build. */
  pause?(): Promise<void>;
  /** They render pages in other threads. @default none */
  readonly workers?: readonly RenderWorker[];
  /** Called after each file with how many are done and how many there are. */
  onProgress?(done: number, of: number): void;
}

/** Builds files that are due; see `createFileBuilder`. */
export type FileBuilder = ReturnType<typeof createFileBuilder>;

/**
 * Builds the files of a site that are due: first those that pages link, then the pages of articles, then all others;
 * then what the site does not have any more is removed; last, those that are made of others.
 */
export function createFileBuilder(site: Site, writer: BuildWriter) {
  const { index, outputs, articles: articlePages, articleFiles, due, unsure } = site;
  /** What a render worker has been given: whoever builds such a page meanwhile builds a newer one. */
  const atWorker = new Map<string, RenderJob>();

  /** Builds those of the files that are due, and what turns out to have changed meanwhile. */
  async function build(
    session: BuildSession,
    files: ReadonlySet<string>,
    { pause = async () => undefined, workers = [], onProgress }: FileBuildOptions = {},
  ): Promise<void> {
    let of = 0;
    let done = 0;
    const step = async () => {
      onProgress?.(++done, of);
      await pause();
    };
    const one = async (file: string) => {
      await buildOne(session, file);
      await step();
    };
    // What a worker is about to make of these is older.
    for (const file of files) atWorker.delete(file);
    const isDerived = (file: string) => outputs.at(file)?.derivedFrom !== undefined;
    // A variant of what does not stand yet is no file of any output.
    const isPlain = (file: string) => outputs.at(file) !== undefined && !isDerived(file);
    for (let pass = 1; pass <= MOST_PASSES; pass++) {
      const todo = [...files].filter((file) => due.has(file) && !session.hasFailed(file) && isPlain(file));
      if (todo.length === 0) break;
      of += todo.length;
      await writer.announce(todo.filter((file) => !unsure.has(file)));
      const assets = new Set(outputs.assets());
      const articles: string[] = [];
      const others: string[] = [];
      for (const file of todo) {
        if (assets.has(file)) await one(file);
        else (index.at(file) === undefined ? others : articles).push(file);
      }
      if (workers.length > 0) {
        const pages = others.filter((file) => outputs.at(file)?.page !== undefined);
        await buildTogether(session, [...articles, ...pages], workers, one, step);
      }
      // Articles first, which lists link to, and whose reading time they show; or what the workers have left.
      for (const file of [...articles, ...others])
        if (due.has(file) && !session.hasFailed(file)) await one(file);
      for (const file of site.addAffected()) atWorker.delete(file);
    }
    const surplus = [...files].filter((file) => due.has(file) && outputs.at(file) === undefined);
    await writer.announce(surplus);
    for (const file of surplus) remove(session, file);
    const known = [...files].filter((file) => due.has(file) && isDerived(file));
    const derived = new Set([...known, ...session.built().flatMap(outputs.derivedFrom)]);
    const stale = [...derived].filter(isStale);
    of += stale.length;
    await writer.announce(stale);
    await buildDerived(session, stale, step);
  }

  /** Whether a derived file has to be made; it depends on nothing but the file that it is made of. */
  function isStale(file: string): boolean {
    const isIntact = writer.intact(file) !== undefined;
    if (isIntact) due.delete(file);
    else due.add(file);
    return !isIntact;
  }

  /** Builds files that are made of others, some at a time, as other threads make them. */
  async function buildDerived(
    session: BuildSession,
    files: readonly string[],
    step: () => Promise<void>,
  ): Promise<void> {
    const underWay: Promise<void>[] = [];
    try {
      for (const file of files) {
        if (underWay.length === DERIVED_AT_ONCE) await underWay.shift();
        underWay.push(buildVariant(session, file));
        await step();
      }
    } finally {
      await Promise.all(underWay);
    }
  }

  async function buildVariant(session: BuildSession, file: string): Promise<void> {
    const source = sourceOf(file) ?? '';
    const sourceCrc = () => writer.intact(source)?.crc;
    const before = sourceCrc();
    const isBuilt = await session.build(file, async () => {
      const content = await outputs.at(file)?.render(file);
      // Another one is due where its source has changed meanwhile.
      if (content === undefined || before === undefined || sourceCrc() !== before) return undefined;
      return { variant: content, source: before };
    });
    if (isBuilt) due.delete(file);
  }

  /** Builds pages in several threads; what the workers leave is built here. */
  function buildTogether(
    session: BuildSession,
    pages: readonly string[],
    workers: readonly RenderWorker[],
    one: (file: string) => Promise<void>,
    step: () => Promise<void>,
  ): Promise<void> {
    const own = async (batch: readonly string[]) => {
      for (const file of batch) await one(file);
    };
    const delegate = (worker: RenderWorker) => async (batch: readonly string[]) => {
      const { jobs, ...slugs } = jobsFor(batch);
      for (const job of jobs) atWorker.set(job.file, job);
      const { root, workerStagingDir: stagingDir } = writer;
      const answer = await worker.ask({ kind: 'make', jobs, ...slugs, stagingDir, root }, 'made');
      for (const [index, job] of jobs.entries()) {
        const made = answer?.made[index];
        if (atWorker.get(job.file) !== job) {
          if (made?.kind === 'staged') discard(made.staged.temp);
          continue;
        }
        atWorker.delete(job.file);
        if (made === undefined || made.kind === 'declined') continue;
        noteReadingTime(job, made.readingMinutes);
        if (
          await session.build(job.file, () =>
            made.kind === 'same' ? { unchangedSize: made.size } : { staged: made.staged },
          )
        )
          due.delete(job.file);
        await step();
      }
      return answer !== undefined;
    };
    return share({ items: pages, size: BATCH }, own, workers.map(delegate));
  }

  /** The reading time of an article whose page was made of the file that the index knows, for the lists. */
  function noteReadingTime(job: RenderJob, minutes: number | undefined): void {
    const entry = index.at(job.file)?.entry;
    if (job.kind === 'article' && minutes !== undefined && entry?.stamp === job.article.stamp)
      entry.readingMinutes ??= minutes;
  }

  async function buildOne(session: BuildSession, file: string): Promise<void> {
    atWorker.delete(file);
    const output = outputs.at(file);
    if (output === undefined) return;
    // What is kept is as good as it can be; whoever read the article has warned.
    if (output.keeps?.(file) || (await session.build(file, () => output.render(file)))) due.delete(file);
  }

  /** The jobs of a batch, and the slugs of all terms that its pages link to. */
  function jobsFor(files: readonly string[]) {
    // Articles that stand together link the same ones; what is the same object travels once.
    const links = new Map<Post, ArticleLink>();
    const link = (post: Post) => {
      const known = links.get(post) ?? linkOf(post.entry);
      links.set(post, known);
      return known;
    };
    const tags = new Map<string, string>();
    const authors = new Map<string, string>();
    const addTerms = (of: { readonly tags: readonly string[]; readonly author: string }) => {
      for (const name of of.tags) tags.set(name, index.tags.get(name)?.slug ?? '');
      authors.set(of.author, index.authors.get(of.author)?.slug ?? '');
    };
    const jobs = files.flatMap((file): RenderJob | [] => {
      const existingSize = writer.intact(file)?.size;
      const post = index.at(file);
      if (post !== undefined) {
        if (articleFiles.isBroken(post.entry.path)) return [];
        addTerms(post.entry);
        return { kind: 'article', file, existingSize, article: articlePages.jobOf(post, link) };
      }
      const page = outputs.at(file)?.page?.(file);
      if (page === undefined) return [];
      for (const article of page.articles) addTerms(article);
      addTerms({ tags: page.tag === null ? [] : [page.tag], author: page.author ?? '' });
      return { kind: 'page', file, existingSize, page };
    });
    return { jobs, tags, authors };
  }

  function remove(session: BuildSession, file: string): void {
    // Pages that could not be built anew still need the style sheet and the pictures they were made with.
    if (HASHED.test(file) && (session.report().failed > 0 || articleFiles.broken.size > 0)) return;
    if (session.remove(file)) due.delete(file);
  }

  return { build };
}
