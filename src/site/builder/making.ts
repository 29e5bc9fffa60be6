import type { ArticleLink } from '../../host/page-types.js';
import type { ArticleFiles } from '../index/article-files.js';
import type { Post } from '../index/article-list.js';
import type { SiteIndex } from '../index/site-index.js';
import type { ArticlePages } from '../outputs/article-pages.js';
import type { SiteOutputs } from '../outputs/output.js';
import { linkOf } from '../render/page.js';
import { STYLE_SHEET } from '../render/theme.js';
import type { Writer } from '../write/writer.js';
import type { BuildSession } from './build-session.js';
import type { RenderJob } from './render-messages.js';
import type { RenderWorker } from './render-worker-client.js';
import { share } from './work-sharing.js';

/** How often a build goes on with what has changed meanwhile. */
const MOST_PASSES = 5;

/** Pages that are given to the helper at a time. */
const BATCH = 32;

interface Deps {
  readonly index: SiteIndex;
  readonly outputs: SiteOutputs;
  readonly articles: ArticlePages;
  readonly articleFiles: ArticleFiles;
  readonly writer: Writer;
  /** Files that may not be as they should; what is built is taken out. */
  readonly stale: Set<string>;
  /** Those of them that are most likely as they should be. */
  readonly unsure: ReadonlySet<string>;
  /** Takes in what has turned out to have changed. */
  absorb(): void;
}

export interface MakingOptions {
  /** Lets others do something in between. */
  yieldNow(): Promise<void>;
  readonly helper?: RenderWorker | undefined;
  /** Told after each file how many are done and how many there are. */
  onProgress?(done: number, of: number): void;
}

/** The making of files; see `createMaking`. */
export type Making = ReturnType<typeof createMaking>;

/** The making of files. */
export function createMaking({
  index,
  outputs,
  articles: articlePages,
  articleFiles,
  writer,
  stale,
  unsure,
  absorb,
}: Deps) {
  /** What the helper has before it: whoever builds such a page meanwhile builds a newer one. */
  const atHelper = new Map<string, RenderJob>();

  /** Builds those of the files that are stale, and what turns out to have changed meanwhile. */
  async function build(
    session: BuildSession,
    files: ReadonlySet<string>,
    options: MakingOptions,
  ): Promise<void> {
    let of = 0;
    let done = 0;
    const step = async () => {
      options.onProgress?.(++done, of);
      await options.yieldNow();
    };
    for (let pass = 1; pass <= MOST_PASSES; pass++) {
      const todo = [...files].filter((file) => stale.has(file) && !session.hasFailed(file));
      if (todo.length === 0) break;
      of += todo.length;
      await writer.announce(todo.filter((file) => !unsure.has(file)));
      const isArticle = (file: string) => index.at(file) !== undefined;
      const assets = new Set(outputs.assets());
      const articles = todo.filter(isArticle);
      const others = todo.filter((file) => !isArticle(file) && !assets.has(file));
      const one = async (file: string) => {
        await buildOne(session, file);
        await step();
      };
      for (const file of todo) if (assets.has(file)) await one(file); // first: pages link them
      if (options.helper !== undefined)
        await buildTogether(session, articles, others, options.helper, one, step);
      // Articles first, which lists link to; or what the helper has left.
      for (const file of [...articles, ...others])
        if (stale.has(file) && !session.hasFailed(file)) await one(file);
      absorb();
    }
    const surplus = [...files].filter((file) => stale.has(file) && outputs.at(file) === undefined);
    await writer.announce(surplus);
    for (const file of surplus) await remove(session, file);
  }

  /** Builds pages in two threads, the helper articles alone; what it leaves is built here. */
  function buildTogether(
    session: BuildSession,
    articles: readonly string[],
    others: readonly string[],
    helper: RenderWorker,
    one: (file: string) => Promise<void>,
    step: () => Promise<void>,
  ): Promise<void> {
    const own = async (batch: readonly string[]) => {
      for (const file of batch) await one(file);
    };
    return share({ first: others, items: articles, size: BATCH }, own, async (batch) => {
      const posts = batch.flatMap((file) => index.at(file) ?? []);
      const { jobs, ...slugs } = helperJobs(posts.filter(({ entry }) => !articleFiles.isBroken(entry.path)));
      for (const job of jobs) atHelper.set(job.file, job);
      const { root, workerStagingDir: stagingDir } = writer;
      const answer = await helper.ask({ do: 'make', jobs, ...slugs, stagingDir, root }, 'made');
      for (const [index, job] of jobs.entries()) {
        const made = answer?.made[index];
        if (atHelper.get(job.file) !== job) {
          if (made?.is === 'draft') writer.drop(made.staged);
          continue;
        }
        atHelper.delete(job.file);
        if (made === undefined || made.is === 'left') continue;
        if (await session.build(job.file, () => (made.is === 'same' ? { standing: made.size } : made)))
          stale.delete(job.file);
        await step();
      }
      return answer !== undefined;
    });
  }

  async function buildOne(session: BuildSession, file: string): Promise<void> {
    atHelper.delete(file);
    const output = outputs.at(file);
    if (output === undefined) return;
    // What is kept is as good as it can be; whoever read the article has warned.
    if (output.keeps?.(file) || (await session.build(file, () => output.render(file)))) stale.delete(file);
  }

  /** The jobs of a batch, and the slugs of all groups that its pages link to. */
  function helperJobs(posts: readonly Post[]) {
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
    // Pages that could not be built anew still need the style sheet they were made with.
    if (STYLE_SHEET.test(file) && (session.report().failed > 0 || articleFiles.broken.size > 0)) return;
    if (await session.remove(file)) stale.delete(file);
  }

  return { build };
}
