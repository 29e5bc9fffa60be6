import type { ArticleLink } from '../host/page-types.js';
import type { ContentFolder } from '../store/entry.js';
import { type ArticleJob, articlePage } from './article-pages.js';
import type { Dress } from './dress.js';
import type { HelperJob } from './help-messages.js';
import type { Helper } from './helper.js';
import type { Intake } from './intake.js';
import type { Larder } from './larder.js';
import type { Model } from './model.js';
import { neighboursOf } from './neighbours.js';
import type { Output } from './output.js';
import { linkOf, type Page } from './page.js';
import type { Pages } from './pages.js';
import type { Round } from './round.js';
import type { Piece } from './series.js';
import { share } from './share.js';
import { STYLE_SHEET } from './theme.js';

/** How often a build goes on with what has changed meanwhile. */
const MOST_PASSES = 5;

/** Pages that are given to the helper at a time. */
const BATCH = 32;

interface Around {
  readonly content: ContentFolder;
  readonly model: Model;
  readonly pages: Pages;
  readonly intake: Intake;
  readonly larder: Larder;
  readonly output: Output;
  /** Files that may not be as they should; what is built is taken out. */
  readonly stale: Set<string>;
  /** Those of them that are most likely as they should be. */
  readonly unsure: ReadonlySet<string>;
  dress(): Dress;
  /** Takes in what has turned out to have changed. */
  absorb(): void;
}

const linkOfPiece = ({ entry }: Piece): ArticleLink => linkOf(entry);

export interface MakingOptions {
  /** Lets others do something in between. */
  breathe(): Promise<void>;
  readonly helper?: Helper | undefined;
  /** Told after each file how many are done and how many there are. */
  onProgress?(done: number, of: number): void;
}

/** The making of files; see `createMaking`. */
export type Making = ReturnType<typeof createMaking>;

/** The making of files. */
export function createMaking({
  content,
  model,
  pages,
  intake,
  larder,
  output,
  stale,
  unsure,
  dress,
  absorb,
}: Around) {
  /** What the helper has before it: whoever builds such a page meanwhile builds a newer one. */
  const atHelper = new Map<string, HelperJob>();

  /** Builds those of the files that are stale, and what turns out to have changed meanwhile. */
  async function build(round: Round, files: ReadonlySet<string>, options: MakingOptions): Promise<void> {
    let of = 0;
    let done = 0;
    const step = async () => {
      options.onProgress?.(++done, of);
      await options.breathe();
    };
    for (let pass = 1; pass <= MOST_PASSES; pass++) {
      const todo = [...files].filter((file) => stale.has(file) && !round.hasFailed(file));
      if (todo.length === 0) break;
      of += todo.length;
      await output.announce(todo.filter((file) => !unsure.has(file)));
      const isArticle = (file: string) => model.at(file) !== undefined;
      const articles = todo.filter(isArticle);
      const others = todo.filter((file) => !isArticle(file) && !pages.isAsset(file));
      const one = async (file: string) => {
        await buildOne(round, file);
        await step();
      };
      for (const file of todo) if (pages.isAsset(file)) await one(file); // first: pages link them
      if (options.helper !== undefined)
        await buildTogether(round, articles, others, options.helper, one, step);
      // Articles first, which lists link to; or what the helper has left.
      for (const file of [...articles, ...others])
        if (stale.has(file) && !round.hasFailed(file)) await one(file);
      absorb();
    }
    const surplus = [...files].filter((file) => stale.has(file) && pages.at(file) === undefined);
    await output.announce(surplus);
    for (const file of surplus) await remove(round, file);
  }

  /** Builds pages in two threads, the helper articles alone; what it leaves is built here. */
  function buildTogether(
    round: Round,
    articles: readonly string[],
    others: readonly string[],
    helper: Helper,
    one: (file: string) => Promise<void>,
    step: () => Promise<void>,
  ): Promise<void> {
    const own = async (batch: readonly string[]) => {
      for (const file of batch) await one(file);
    };
    return share({ first: others, items: articles, size: BATCH }, own, async (batch) => {
      const pieces = batch.flatMap((file) => model.at(file) ?? []);
      const { jobs, ...slugs } = helperJobs(pieces.filter(({ entry }) => !intake.isBroken(entry.path)));
      for (const job of jobs) atHelper.set(job.file, job);
      const { root, helpersWorkshop: workshop } = output;
      const answer = await helper.ask({ do: 'make', jobs, ...slugs, workshop, root }, 'made');
      for (const [index, job] of jobs.entries()) {
        const made = answer?.made[index];
        if (atHelper.get(job.file) !== job) {
          if (made?.is === 'draft') output.drop(made.draft);
          continue;
        }
        atHelper.delete(job.file);
        if (made === undefined || made.is === 'left') continue;
        if (await round.build(job.file, () => (made.is === 'same' ? { standing: made.size } : made)))
          stale.delete(job.file);
        await step();
      }
      return answer !== undefined;
    });
  }

  async function buildOne(round: Round, file: string): Promise<void> {
    atHelper.delete(file);
    const recipe = pages.at(file);
    if (recipe === undefined) return;
    if (recipe.is === 'article' && intake.isBroken(recipe.piece.entry.path)) {
      stale.delete(file); // as good as it can be; the intake has warned
      return;
    }
    const done = await round.build(file, () => {
      if (recipe.is === 'file') return recipe.make();
      const page = recipe.is === 'page' ? recipe.page() : pageOf(recipe.piece);
      return page && dress().render(page);
    });
    if (done) stale.delete(file);
  }

  function pageOf(piece: Piece): Page | undefined {
    const page = articlePage(jobOf(piece), content, larder);
    if (page === undefined) intake.take([piece.entry.path]); // it has changed since it was read
    return page;
  }

  function jobOf(piece: Piece, link = linkOfPiece): ArticleJob {
    const { path, stamp } = piece.entry;
    const { previous, next, related } = neighboursOf(piece, model.all, model.tags);
    return {
      file: piece.file,
      path,
      stamp,
      isGlimpsed: intake.isGlimpsed(path),
      previous: previous === undefined ? null : link(previous),
      next: next === undefined ? null : link(next),
      related: related.map((other) => link(other)),
    };
  }

  /** The jobs of a batch, and the slugs of all groups that its pages link to. */
  function helperJobs(pieces: readonly Piece[]) {
    // Articles that stand together link the same ones; what is the same object travels once.
    const links = new Map<Piece, ArticleLink>();
    const link = (piece: Piece) => {
      const known = links.get(piece) ?? linkOfPiece(piece);
      links.set(piece, known);
      return known;
    };
    const tags = new Map<string, string>();
    const authors = new Map<string, string>();
    const jobs = pieces.map((piece): HelperJob => {
      for (const name of piece.entry.tags) tags.set(name, model.tags.get(name)?.slug ?? '');
      const { author } = piece.entry;
      authors.set(author, model.authors.get(author)?.slug ?? '');
      return { standing: output.intact(piece.file)?.size, ...jobOf(piece, link) };
    });
    return { jobs, tags, authors };
  }

  async function remove(round: Round, file: string): Promise<void> {
    // Pages that could not be built anew still need the style sheet they were made with.
    if (STYLE_SHEET.test(file) && (round.report().failed > 0 || intake.broken.size > 0)) return;
    if (await round.remove(file)) stale.delete(file);
  }

  return { build };
}
