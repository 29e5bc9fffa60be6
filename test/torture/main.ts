/**
 * `npm run torture`: attacks what the README promises, for as long as one likes. `npm run torture -- --help` says how.
 */
import fs from 'node:fs';
import { join } from 'node:path';
import { createRandom, seedOfRun } from '../support/random.js';
import { makeTempDir, removeTempDir } from '../support/temp-dir.js';
import { helpText, parseArguments, shareOf, type TortureArguments, WrongUsage } from './arguments.js';
import { kill } from './kill.js';
import { machines } from './machines.js';
import { edits } from './owner/edits.js';
import { killProcessesIn } from './processes.js';
import { properties } from './properties.js';
import { receivers } from './receivers.js';
import { requests } from './requests.js';
import { BrokenPromise, type Counts, type Scenario } from './scenario.js';
import { site } from './site.js';
import { powerLoss } from './system-calls/power-loss.js';
import { systemCalls } from './system-calls/system-calls.js';

const SCENARIOS: readonly Scenario[] = [
  kill,
  powerLoss,
  systemCalls,
  receivers,
  edits,
  machines,
  requests,
  site,
  properties,
];

/** Lines of a failed scenario's log that are printed; all of them are in the kept folder's log. */
const PRINTED_NOTES = 30;

// By exit: what a broken scenario has left behind must not keep the process alive.
process.exit(await main(process.argv.slice(2)));

async function main(args: readonly string[]): Promise<number> {
  let asked: TortureArguments | 'help';
  try {
    asked = parseArguments(args, SCENARIOS);
  } catch (error) {
    if (!(error instanceof WrongUsage)) throw error;
    console.error(`${error.message}\nnpm run torture -- --help says more`);
    return 2;
  }
  if (asked === 'help') {
    console.log(helpText(SCENARIOS));
    return 0;
  }
  const lacking = asked.scenarios.flatMap(({ name, missing }) => {
    const program = missing?.();
    return program === undefined ? [] : [`${name} needs ${program}`];
  });
  if (lacking.length > 0) {
    console.error(lacking.join('\n'));
    return 2;
  }
  return attackAll(asked);
}

async function attackAll({ minutes, scenarios, seed = seedOfRun() }: TortureArguments): Promise<number> {
  process.setMaxListeners(0);
  const folder = makeTempDir();
  // Whatever a scenario starts has this in its environment, and makes its own temporary files here.
  process.env.TMPDIR = folder;
  process.env.PRESSMARK_TEST_SEED = String(seed);
  endOnSignals(folder);
  console.log(`${minutes} min, seed ${seed}: ${scenarios.map(({ name }) => name).join(', ')}`);

  const end = performance.now() + minutes * 60_000;
  let broken = 0;
  for (const [index, scenario] of scenarios.entries()) {
    const shareMs = shareOf(end - performance.now(), scenarios.slice(index));
    console.log(`\n${scenario.name}: ${scenario.promise}`);
    if (!(await attack(scenario, { folder, seed, shareMs }))) broken++;
    killProcessesIn(folder);
  }
  if (broken === 0) removeTempDir(folder);
  console.log(broken === 0 ? '\nEvery promise held.' : `\n${broken} of ${scenarios.length} promises broken.`);
  return broken === 0 ? 0 : 1;
}

interface Run {
  readonly folder: string;
  readonly seed: number;
  readonly shareMs: number;
}

/** Runs one scenario and prints what became of it; whether the promise held. */
async function attack(scenario: Scenario, { folder, seed, shareMs }: Run): Promise<boolean> {
  const { name } = scenario;
  const dir = join(folder, name);
  fs.mkdirSync(dir);
  const notes: string[] = [];
  const began = performance.now();
  const seconds = () => ((performance.now() - began) / 1_000).toFixed(1);
  const note = (line: string) => notes.push(`${seconds()} s: ${line}`);
  const deadline = began + shareMs;
  try {
    const counts = await scenario.run({ seed, random: createRandom(name, seed), deadline, dir, note });
    console.log(`  held: ${inWords(counts)} (${seconds()} s)`);
    removeTempDir(dir);
    return true;
  } catch (error) {
    const logPath = join(folder, `${name}.log`);
    fs.writeFileSync(logPath, notes.map((line) => `${line}\n`).join(''));
    for (const line of notes.slice(-PRINTED_NOTES)) console.log(`  ${line}`);
    const what =
      error instanceof BrokenPromise ? error.message : error instanceof Error ? error.stack : error;
    // Its time at least, so that what happened after so many seconds happens again.
    const again = (Math.ceil((shareMs / 60_000) * 100) / 100).toFixed(2);
    console.log(`  BROKEN: ${what}
  kept:   ${dir}
  log:    ${logPath}
  seed:   ${seed}
  again:  npm run torture -- ${again} ${seed} ${name}`);
    return false;
  }
}

function inWords(counts: Counts): string {
  return Object.entries(counts)
    .map(([what, count]) => `${count.toLocaleString('en')} ${what.replace(/[A-Z]/g, ' $&').toLowerCase()}`)
    .join(', ');
}

/** Who interrupts the run keeps nothing of it: no process, no folder. */
function endOnSignals(folder: string): void {
  for (const [signal, number] of [
    ['SIGINT', 2],
    ['SIGTERM', 15],
    ['SIGHUP', 1],
  ] as const)
    process.once(signal, () => {
      // Without a return to the event loop: no scenario starts anything meanwhile.
      killProcessesIn(folder);
      removeTempDir(folder);
      process.exit(128 + number);
    });
}
