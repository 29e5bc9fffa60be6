import { corpus, corpusArticle } from './corpus.js';
import { count, median, type Row, table } from './figures.js';
import { build, GENERATORS, type Generator, writeSite } from './generators.js';
import type { Workspace } from './workspace.js';

/** Smaller sizes for a try: `PRESSMARK_BENCH_SIZES=100`. */
const SIZES = (process.env.PRESSMARK_BENCH_SIZES ?? '1000,10000').split(',').map(Number);

/** How many rounds a size is worth. */
const roundsFor = (articles: number) => (articles > 1_000 ? 3 : 5);

/** The size at which the goals hold. */
const GOAL_SIZE = 10_000;

/** Full builds of the same corpus by Pressmark and by other generators, in turn. */
export async function site(workspace: Workspace): Promise<{ text: string; rows: Row[] }> {
  const present = GENERATORS.filter((generator) => generator.version() !== undefined);
  const absent = GENERATORS.filter((generator) => generator.version() === undefined);
  const tables: string[] = [];
  const rows: Row[] = [];
  for (const articles of SIZES) {
    const rounds = roundsFor(articles);
    const seconds = new Map<Generator, number[]>(present.map((generator) => [generator, []]));
    for (let round = 1; round <= rounds; round++) {
      for (const generator of present) {
        const folder = workspace.fresh(`${generator.name}-${articles}`);
        writeSite(folder, generator, corpus(articles));
        seconds.get(generator)?.push(await build(folder, generator, corpusArticle(articles - 1, articles)));
      }
      const shown = present.map(
        (generator) => `${generator.name} ${seconds.get(generator)?.at(-1)?.toFixed(2)} s`,
      );
      console.error(`site ${count(articles)}, ${round}/${rounds}: ${shown.join(', ')}`);
    }
    const [ours, ...others] = present;
    if (ours === undefined) throw new Error('Pressmark is always there');
    const part = others.map((other) => row(ours, other, seconds, articles));
    rows.push(...part);
    tables.push(table([`${count(articles)} articles`, 'Pressmark', 'the other'], part));
  }
  const versions = present.map((generator) => `${generator.name} ${generator.version()}`).join(', ');
  const missing = absent.map(({ name }) => `${name} is not installed and left out.`);
  return { text: [...tables, `${versions}. ${missing.join(' ')}`].join('\n\n'), rows };
}

function row(
  ours: Generator,
  other: Generator,
  seconds: ReadonlyMap<Generator, readonly number[]>,
  articles: number,
): Row {
  const [mine, theirs] = [seconds.get(ours) ?? [], seconds.get(other) ?? []];
  const ratios = theirs.map((one, round) => one / (mine[round] ?? Number.NaN));
  const goal = { kind: 'at least', value: other.name === 'Eleventy' ? 2.5 : 1.5 } as const;
  return {
    what: `full build, times as fast as ${other.name}`,
    ours: `${median(mine).toFixed(2)} s`,
    against: `${median(theirs).toFixed(2)} s`,
    ratio: median(ratios),
    ...(articles === GOAL_SIZE && { goal }),
  };
}
