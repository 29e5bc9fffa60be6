import { setTimeout as wait } from 'node:timers/promises';
import { count, medianOf, milliseconds, type Row, table } from './figures.js';
import {
  type BenchArticle,
  type BenchRepository,
  type Committing,
  fastImport,
  makeRepository,
  startCommitting,
  storeFiles,
} from './git-repository.js';
import type { Workspace } from './workspace.js';

/** Smaller sizes for a try: `PRESSMARK_BENCH_SIZES=1000`. */
const SIZES = (process.env.PRESSMARK_BENCH_SIZES ?? '1000,10000,100000').split(',').map(Number);
const ROUNDS = 3;
/** Commits of one leg. */
const BACKLOG = 1_000;
/** The steady stream: so many publishes a second, for so many seconds. */
const STREAM = 50;
const STREAM_SECONDS = 10;

interface Round {
  /** Commits a second. */
  readonly ours: number;
  readonly import: number;
  /** The longest that the branch was behind, in milliseconds. */
  readonly behind: number;
}

/** Commits a second under backlog, and how far the branch is behind a steady stream. */
export async function git(workspace: Workspace): Promise<{ text: string; rows: Row[] }> {
  const rows: Row[] = [];
  for (const size of SIZES) {
    const repository = makeRepository(workspace.fresh(`git-${size}`), size);
    const rounds: Round[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      const one = await measure(repository);
      rounds.push(one);
      console.error(
        `git ${count(size)} ${round}/${ROUNDS}: ${count(one.ours)}, ${count(one.import)} commits/s, ${milliseconds(one.behind)} behind`,
      );
    }
    rows.push(...rowsOf(size, rounds));
  }
  return { text: table(['articles in the repository', 'ours', 'against'], rows), rows };
}

function rowsOf(size: number, rounds: readonly Round[]): Row[] {
  const behind = Math.max(...rounds.map((round) => round.behind));
  return [
    {
      what: `${count(size)}: against fast-import with a checkpoint per 100`,
      ours: `${count(medianOf(rounds, (round) => round.ours))} commits/s`,
      against: `${count(medianOf(rounds, (round) => round.import))} commits/s`,
      ratio: medianOf(rounds, (round) => round.ours / round.import),
      ...(size >= 10_000 && { goal: { kind: 'at least', value: 0.5 } as const }),
    },
    {
      what: `${count(size)}: longest that the branch is behind ${STREAM} publishes/s`,
      ours: milliseconds(behind),
      against: '1,000 ms',
      ratio: behind / 1_000,
      goal: { kind: 'at most', value: 1 },
    },
  ];
}

async function measure(repository: BenchRepository): Promise<Round> {
  const ours = await backlog(repository);
  const imported = await fastImport(repository, repository.nextArticles(BACKLOG));
  const behind = await stream(repository);
  // the next round begins with one pack again, as after git's housekeeping
  repository.git('branch', '-q', '-D', 'imported');
  const status = repository.git('status', '--porcelain');
  if (status !== '') throw new Error(`git status is not clean: ${status.slice(0, 200)}`);
  repository.git('repack', '-q', '-a', '-d');
  return { ours, import: imported, behind };
}

/** Everything at once. @returns commits a second. */
async function backlog(repository: BenchRepository): Promise<number> {
  const articles = repository.nextArticles(BACKLOG);
  storeFiles(repository, articles);
  const committing = await startCommitting(repository.dir);
  const began = performance.now();
  const done = untilCommitted(committing, articles);
  for (const article of articles) committing.publish(article);
  await done;
  const ms = performance.now() - began;
  await committing.host.close();
  return (1_000 * BACKLOG) / ms;
}

/** A steady stream. @returns the longest that a commit came after its publication, in milliseconds. */
async function stream(repository: BenchRepository): Promise<number> {
  const articles = repository.nextArticles(STREAM * STREAM_SECONDS);
  const committing = await startCommitting(repository.dir);
  let longest = 0;
  const published = new Map<string, number>();
  const done = untilCommitted(committing, articles, (path) => {
    longest = Math.max(longest, performance.now() - (published.get(path) ?? 0));
  });
  const began = performance.now();
  for (const [index, article] of articles.entries()) {
    await wait(Math.max(0, began + (1_000 * index) / STREAM - performance.now()));
    storeFiles(repository, [article]);
    published.set(article.path, performance.now());
    committing.publish(article);
  }
  await done;
  await committing.host.close();
  return longest;
}

function untilCommitted(
  committing: Committing,
  articles: readonly BenchArticle[],
  onEach: (path: string) => void = () => undefined,
): Promise<void> {
  let left = articles.length;
  return new Promise((resolve) => {
    committing.onCommitted = (path) => {
      onEach(path);
      if (--left === 0) resolve();
    };
  });
}
