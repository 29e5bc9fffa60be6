import type { ArticleLink } from '../../host/page-types.js';
import type { Post } from '../index/article-list.js';
import { linkOf } from '../render/page.js';
import { HASHED } from '../render/theme-files.js';
import type { Writer } from '../write/writer.js';
import type { BuildSession } from './build-session.js';
import type { RenderJob } from './render-messages.js';
import { type RenderWorker, share } from './render-pool.js';
import type { Site } from './site.js';

/** How often a build goes on with what has changed meanwhile. */
const MOST_PASSES = 5;

/** Pages that are given to a render worker at a time. */
const BATCH = 32;

export interface FileBuildOptions {
  /** Called after each file: lets others do something in between, or throws to end the build. */
  pause?(): Promise<void>;
  /** Renders pages of articles in another thread. */
  readonly worker?: RenderWorker | undefined;
  /** Told after each file how many are done and how many there are. */
  onProgress?(done: number, of: number): void;
}

/** Builds files that are due; see `createFileBuilder`. */
export type FileBuilder = ReturnType<typeof createFileBuilder>;

/**
 * Builds the files of a site that are due: first those that pages link, then the pages of articles, then all others;
 * last, what the site does not have any more is removed.
 *
 * @param compress whether render workers make compressed files as well.
 */
export function createFileBuilder(site: Site, writer: Writer, compress = false) {
  const { index, outputs, articles: articlePages, articleFiles, due, unsure } = site;
  /** What a render worker has been given: whoever builds such a page meanwhile builds a newer one. */
  const atWorker = new Map<string, RenderJob>();

  /** Builds those of the files that are due, and what turns out to have changed meanwhile. */
  async function build(
    session: BuildSession,
    files: ReadonlySet<string>,
    { pause = async () => undefined, worker, onProgress }: FileBuildOptions = {},
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
    for (let pass = 1; pass <= MOST_PASSES; pass++) {
      const todo = [...files].filter((file) => due.has(file) && !session.hasFailed(file));
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
      if (worker !== undefined) await buildTogether(session, articles, worker, one, step);
      // Articles first, which lists link to, and whose reading time they show; or what the worker has left.
      for (const file of [...articles, ...others])
        if (due.has(file) && !session.hasFailed(file)) await one(file);
      site.absorb();
    }
    const surplus = [...files].filter((file) => due.has(file) && outputs.at(file) === undefined);
    await writer.announce(surplus);
    for (const file of surplus) await remove(session, file);
  }

  /** Builds pages in two threads, the worker those of articles alone; what it leaves is built here. */
  function buildTogether(
    session: BuildSession,
    articles: readonly string[],
    worker: RenderWorker,
    one: (file: string) => Promise<void>,
    step: () => Promise<void>,
  ): Promise<void> {
    const own = async (batch: readonly string[]) => {
      for (const file of batch) await one(file);
    };
    return share({ items: articles, size: BATCH }, own, async (batch) => {
      const posts = batch.flatMap((file) => index.at(file) ?? []);
      const { jobs, ...slugs } = jobsFor(posts.filter(({ entry }) => !articleFiles.isBroken(entry.path)));
      for (const job of jobs) atWorker.set(job.file, job);
      const { root, workerStagingDir: stagingDir } = writer;
      const answer = await worker.ask({ kind: 'make', jobs, ...slugs, stagingDir, root, compress }, 'made');
      for (const [index, job] of jobs.entries()) {
        const made = answer?.made[index];
        if (atWorker.get(job.file) !== job) {
          if (made?.kind === 'staged') writer.drop(made.staged);
          continue;
        }
        atWorker.delete(job.file);
        if (made === undefined || made.kind === 'left') continue;
        noteReadingTime(job, made.readingMinutes);
        if (
          await session.build(job.file, () =>
            made.kind === 'same' ? { standing: made.size } : { staged: made.staged },
          )
        )
          due.delete(job.file);
        await step();
      }
      return answer !== undefined;
    });
  }

  /** The reading time of an article whose page was made of the file that the index knows, for the lists. */
  function noteReadingTime({ file, stamp }: RenderJob, minutes: number | undefined): void {
    const entry = index.at(file)?.entry;
    if (minutes !== undefined && entry?.stamp === stamp) entry.readingMinutes ??= minutes;
  }

  async function buildOne(session: BuildSession, file: string): Promise<void> {
    atWorker.delete(file);
    const output = outputs.at(file);
    if (output === undefined) return;
    // What is kept is as good as it can be; whoever read the article has warned.
    if (output.keeps?.(file) || (await session.build(file, () => output.render(file)))) due.delete(file);
  }

  /** The jobs of a batch, and the slugs of all terms that its pages link to. */
  function jobsFor(posts: readonly Post[]) {
    // Articles that stand together link the same ones; what is the same object travels once.
    const links = new Map<Post, ArticleLink>();
    const link = (post: Post) => {
      const known = links.get(post) ?? linkOf(post.entry);
      links.set(post, known);
      return known;
    };
    const tags = new Map<string, string>();
    const authors = new Map<string, string>();
    const jobs = posts.map((post): RenderJob => {
      for (const name of post.entry.tags) tags.set(name, index.tags.get(name)?.slug ?? '');
      const { author } = post.entry;
      authors.set(author, index.authors.get(author)?.slug ?? '');
      return { standing: writer.intact(post.file)?.size, ...articlePages.jobOf(post, link) };
    });
    return { jobs, tags, authors };
  }

  async function remove(session: BuildSession, file: string): Promise<void> {
    // Pages that could not be built anew still need the style sheet and the pictures they were made with.
    if (HASHED.test(file) && (session.report().failed > 0 || articleFiles.broken.size > 0)) return;
    if (await session.remove(file)) due.delete(file);
  }

  return { build };
}
