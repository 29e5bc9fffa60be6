import { setTimeout as wait } from 'node:timers/promises';
import { count, medianOf, milliseconds, type Row, table } from './figures.js';
import {
  addAndCommit,
  type BenchArticle,
  type BenchRepository,
  type Committing,
  fastImport,
  makeRepository,
  startCommitting,
  startUpCheck,
  storeFiles,
} from './git-repository.js';
import type { Workspace } from './workspace.js';

/** Smaller sizes for a try: `PRESSMARK_BENCH_SIZES=1000`. */
const SIZES = (process.env.PRESSMARK_BENCH_SIZES ?? '1000,10000,100000').split(',').map(Number);
const ROUNDS = 3;
/** Commits of one leg; a person's are so slow that fewer say as much. */
const BACKLOG = 1_000;
const BY_HAND = 30;
/** Publishes that come one at a time, each when the one before it is committed. */
const ALONE = 30;
/** The steady stream: so many publishes a second, for so many seconds. */
const STREAM = 50;
const STREAM_SECONDS = 10;

interface Round {
  readonly ours: number;
  readonly import: number;
  readonly byHand: number;
  /** Bytes that one commit of a batch adds. */
  readonly bytes: number;
  /** The longest that the branch was behind, in milliseconds. */
  readonly behind: number;
  /** What the start-up check took, in milliseconds. */
  readonly check: { readonly first: number; readonly again: number };
}

/** Bytes that the commit of a single publish adds: as it is made, and when git's housekeeping has packed it. */
interface Alone {
  readonly loose: number;
  readonly packed: number;
}

/** Commits a second under backlog, how far the branch is behind a steady stream, and what a commit takes on the disk. */
export async function git(workspace: Workspace): Promise<{ text: string; rows: Row[] }> {
  const rows: Row[] = [];
  for (const size of SIZES) {
    const repository = makeRepository(workspace.fresh(`git-${size}`), size);
    const alone = await oneByOne(repository);
    const rounds: Round[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      const one = await measure(repository);
      rounds.push(one);
      console.error(
        `git ${count(size)} ${round}/${ROUNDS}: ${[one.ours, one.import, one.byHand].map(count).join(', ')} commits/s, ` +
          `${milliseconds(one.behind)} behind, ${count(one.bytes)} bytes`,
      );
    }
    rows.push(...rowsOf(size, rounds, alone));
  }
  return { text: table(['articles in the repository', 'ours', 'against'], rows), rows };
}

function rowsOf(size: number, rounds: readonly Round[], alone: Alone): Row[] {
  const ours = `${count(medianOf(rounds, (round) => round.ours))} commits/s`;
  const large = size >= 10_000;
  return [
    {
      what: `${count(size)}: against fast-import with a checkpoint per 100`,
      ours,
      against: `${count(medianOf(rounds, (round) => round.import))} commits/s`,
      ratio: medianOf(rounds, (round) => round.ours / round.import),
      ...(large && { goal: { kind: 'at least', value: 0.5 } as const }),
    },
    {
      what: `${count(size)}: against git add && git commit`,
      ours,
      against: `${count(medianOf(rounds, (round) => round.byHand))} commits/s`,
      ratio: medianOf(rounds, (round) => round.ours / round.byHand),
    },
    {
      what: `${count(size)}: longest that the branch is behind ${STREAM} publishes/s`,
      ours: milliseconds(Math.max(...rounds.map(({ behind }) => behind))),
      against: '1,000 ms',
      ratio: Math.max(...rounds.map(({ behind }) => behind)) / 1_000,
      goal: { kind: 'at most', value: 1 },
    },
    {
      what: `${count(size)}: bytes that a commit adds, in batches of up to 200`,
      ours: count(medianOf(rounds, ({ bytes }) => bytes)),
      against: '',
    },
    {
      what: `${count(size)}: bytes that a commit alone adds, before git gc`,
      ours: count(alone.loose),
      against: '',
    },
    { what: `${count(size)}: the same, after git gc`, ours: count(alone.packed), against: '' },
    {
      what: `${count(size)}: start-up check (git status), the second time, against the first`,
      ours: milliseconds(medianOf(rounds, ({ check }) => check.again)),
      against: milliseconds(medianOf(rounds, ({ check }) => check.first)),
      ratio: medianOf(rounds, ({ check }) => check.again / check.first),
    },
  ];
}

async function measure(repository: BenchRepository): Promise<Round> {
  const before = repository.size();
  const ours = await backlog(repository);
  const bytes = (repository.size() - before) / BACKLOG;
  const importing = repository.nextArticles(BACKLOG);
  const imported = await fastImport(repository, importing);
  const articles = repository.nextArticles(BY_HAND);
  storeFiles(repository, articles);
  const byHand = addAndCommit(repository, articles);
  const behind = await stream(repository);
  // the next round begins with one pack again, as after git's housekeeping
  repository.git('branch', '-q', '-D', 'imported');
  const status = repository.git('status', '--porcelain');
  if (status !== '') throw new Error(`git status is not clean: ${status.slice(0, 200)}`);
  const check = await startUpCheck(repository);
  repository.git('repack', '-q', '-a', '-d');
  return { ours, import: imported, byHand, bytes, behind, check };
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

/** Single publishes, none of which shares its batch, before the month's folder grows by all the others. */
async function oneByOne(repository: BenchRepository): Promise<Alone> {
  const committing = await startCommitting(repository.dir);
  const before = repository.size();
  for (const article of repository.nextArticles(ALONE)) {
    storeFiles(repository, [article]);
    const done = untilCommitted(committing, [article]);
    committing.publish(article);
    await done;
  }
  await committing.host.close();
  const loose = (repository.size() - before) / ALONE;
  repository.git('repack', '-q', '-a', '-d');
  return { loose, packed: (repository.size() - before) / ALONE };
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
