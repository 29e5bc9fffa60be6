import type { Scenario } from './scenario.js';

/** The parsed command line of `npm run torture`. */
export interface TortureArguments {
  readonly minutes: number;
  /** Undefined if the run chooses a new one. */
  readonly seed: number | undefined;
  readonly scenarios: readonly Scenario[];
}

/** The command line is invalid. The message says why and shows a valid one. */
export class WrongUsage extends Error {}

const DEFAULT_MINUTES = 10;
/** A seed has 31 bits, like those that AVA's configuration chooses. */
const SEEDS = 2 ** 31;

/**
 * Reads `[minutes] [seed] [scenario …]`.
 *
 * @param all all existing scenarios, in the order in which they run.
 * @returns 'help' if the command line contains `--help` or `-h`.
 * @throws WrongUsage
 */
export function parseArguments(args: readonly string[], all: readonly Scenario[]): TortureArguments | 'help' {
  if (args.includes('--help') || args.includes('-h')) return 'help';
  const [minutesText, seedText, ...names] = args;

  const minutes = minutesText === undefined ? DEFAULT_MINUTES : Number(minutesText);
  if (!(minutes > 0 && Number.isFinite(minutes)))
    throw new WrongUsage(`minutes must be a number above 0, such as 2 or 0.5, not ${minutesText}`);

  const seed = seedText === undefined ? undefined : Number(seedText);
  if (seed !== undefined && !(/^\d+$/.test(seedText ?? '') && seed < SEEDS))
    throw new WrongUsage(`the seed must be a whole number from 0 to ${SEEDS - 1}, not ${seedText}`);

  const unknown = names.find((given) => all.every(({ name }) => name !== given));
  if (unknown !== undefined)
    throw new WrongUsage(
      `there is no scenario ${unknown}; there are ${all.map(({ name }) => name).join(', ')}`,
    );
  const scenarios = names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
  return { minutes, seed, scenarios };
}

/**
 * How long the first of these scenarios may attack: its share, by weight, of the remaining time. It is computed again
 * before each scenario, so that a scenario that overruns takes the time from all later ones.
 */
export function shareOf(leftMs: number, scenarios: readonly Pick<Scenario, 'weight'>[]): number {
  const [first] = scenarios;
  if (first === undefined) return 0;
  const sum = scenarios.reduce((total, { weight }) => total + weight, 0);
  return Math.max(0, (leftMs * first.weight) / sum);
}

/** The text of `--help`. */
export function helpText(all: readonly Scenario[]): string {
  const width = Math.max(...all.map(({ name }) => name.length));
  return `Usage: npm run torture -- [minutes] [seed] [scenario …]

Attacks Pressmark's promises, one scenario after the other, and checks after each attack whether they held.
A run that fails is kept in test/torture/failed-seeds.txt. Without a seed, the runs in that file are repeated first.

  minutes   for all scenarios together (default: ${DEFAULT_MINUTES})
  seed      of all random choices (default: a new one, which is printed)
  scenario  default: all

Scenarios:
${all.map(({ name, promise }) => `  ${name.padEnd(width)}  ${promise}`).join('\n')}

Example:
  $ npm run torture -- 2 1234 kill

Exit code: 0 where every promise held, 1 where one was broken, 2 for wrong usage or a missing program.`;
}
