/** `npm run torture`: attacks the promises of the README for a given time. */
import fs from 'node:fs';
import { join } from 'node:path';
import { createRandom, seedOfRun } from '../support/random.js';
import { makeTempDir, removeTempDir } from '../support/temp-dir.js';
import { failedSeeds, keepFailedSeed } from './failed-seeds.js';
import { kill } from './kill.js';
import { live } from './live.js';
import { edits } from './owner/edits.js';
import { killProcessesIn } from './processes.js';
import { properties } from './properties.js';
import { requests } from './requests.js';
import { BrokenPromise, type Counts, type Scenario } from './scenario.js';
import { site } from './site.js';
import { soak } from './soak.js';
import { machines, receivers } from './storms.js';
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
  live,
  soak,
  properties,
];

/** How many lines of a failed scenario's log are printed. The log file has all of them. */
const PRINTED_NOTES = 30;

const USAGE = `Usage: npm run torture -- [minutes, for all scenarios together] [seed] [scenario …]
Without a seed, the runs in test/torture/failed-seeds.txt are repeated first, and a new one is chosen.

${SCENARIOS.map(({ name, promise }) => `${name}: ${promise}`).join('\n')}`;

// process.exit, because timers and sockets of a failed scenario would keep the process alive.
process.exit(await main(process.argv.slice(2)));

/** @returns the exit code: 1 where a promise was broken, 2 for wrong usage or a missing program. */
async function main([minutes = '10', seed, ...names]: readonly string[]): Promise<number> {
  const scenarios = SCENARIOS.filter(({ name }) => names.length === 0 || names.includes(name));
  if (!(Number(minutes) > 0 && /^\d+$/.test(seed ?? '0') && scenarios.length >= names.length)) {
    console.error(USAGE);
    return 2;
  }
  const missingPrograms = scenarios.flatMap(({ name, missing }) => {
    const program = missing?.();
    return program === undefined ? [] : [`${name} needs ${program}`];
  });
  if (missingPrograms.length > 0) {
    console.error(missingPrograms.join('\n'));
    return 2;
  }
  return attackAll(Number(minutes), scenarios, seed === undefined ? undefined : Number(seed));
}

async function attackAll(
  minutes: number,
  scenarios: readonly Scenario[],
  given: number | undefined,
): Promise<number> {
  process.setMaxListeners(0);
  const seed = given ?? seedOfRun();
  const folder = makeTempDir();
  // Every process that a scenario starts inherits these variables and puts its temporary files into this folder.
  process.env.TMPDIR = folder;
  endOnSignals(folder);
  endOnErrors(folder, seed);

  let broken = 0;
  const attackAndCount = async (scenario: Scenario, run: Omit<Run, 'dir'>, name: string) => {
    console.log(`\n${name}: ${scenario.promise}`);
    process.env.PRESSMARK_TEST_SEED = String(run.seed);
    if (!(await attack(scenario, { ...run, dir: join(folder, name.replaceAll(' ', '-')) }))) broken++;
    killProcessesIn(folder);
  };

  // A run with a given seed is that run alone.
  const before = given === undefined ? failedSeeds() : [];
  for (const { minutes, seed, scenario: name } of before) {
    const scenario = scenarios.find((one) => one.name === name);
    if (scenario === undefined) continue;
    await attackAndCount(scenario, { seed, shareMs: minutes * 60_000 }, `${name} with seed ${seed}`);
  }

  console.log(`\n${minutes} min, seed ${seed}: ${scenarios.map(({ name }) => name).join(', ')}`);
  const end = performance.now() + minutes * 60_000;
  for (const [index, scenario] of scenarios.entries()) {
    // Its share of what is left: one that takes longer takes the time from all later ones.
    const weights = scenarios.slice(index).reduce((sum, { weight }) => sum + weight, 0);
    const shareMs = Math.max(0, ((end - performance.now()) * scenario.weight) / weights);
    await attackAndCount(scenario, { seed, shareMs }, scenario.name);
  }
  if (broken === 0) removeTempDir(folder);
  console.log(broken === 0 ? '\nEvery promise held.' : `\nPromises broken: ${broken}.`);
  return broken === 0 ? 0 : 1;
}

interface Run {
  /** Of the scenario alone; it is kept after a failure. */
  readonly dir: string;
  readonly seed: number;
  readonly shareMs: number;
}

/** Runs one scenario and prints the result. @returns whether the promise held. */
async function attack(scenario: Scenario, { dir, seed, shareMs }: Run): Promise<boolean> {
  const { name } = scenario;
  fs.mkdirSync(dir);
  const notes: string[] = [];
  const began = performance.now();
  const seconds = () => ((performance.now() - began) / 1_000).toFixed(1);
  const note = (line: string) => notes.push(`${seconds()} s: ${line}`);
  const deadline = began + shareMs;
  try {
    const counts = await scenario.run({ seed, random: createRandom(name, seed), deadline, dir, note });
    console.log(`  held: ${inWords(counts)} (${seconds()} s)`);
    // What still runs could write into the folder while it is removed.
    killProcessesIn(dir);
    removeTempDir(dir);
    return true;
  } catch (error) {
    const logPath = `${dir}.log`;
    fs.writeFileSync(logPath, notes.map((line) => `${line}\n`).join(''));
    for (const line of notes.slice(-PRINTED_NOTES)) console.log(`  ${line}`);
    const reason =
      error instanceof BrokenPromise ? error.message : error instanceof Error ? error.stack : error;
    // Rounded up: with less time, the repeated run could end before the failure.
    const minutes = Math.max(0.01, Math.ceil((shareMs / 60_000) * 100) / 100);
    keepFailedSeed({ minutes, seed, scenario: name });
    console.log(`  BROKEN: ${reason}
  kept:   ${dir}
  log:    ${logPath}
  seed:   ${seed}
  again:  npm run torture -- ${minutes} ${seed} ${name}`);
    return false;
  }
}

function inWords(counts: Counts): string {
  return Object.entries(counts)
    .map(([what, count]) => `${count.toLocaleString('en')} ${what.replace(/[A-Z]/g, ' $&').toLowerCase()}`)
    .join(', ');
}

/** An error in the torture itself: it is reported with the seed, and the folder is kept. */
function endOnErrors(folder: string, seed: number): void {
  process.once('uncaughtException', (error) => {
    killProcessesIn(folder);
    console.error(`the torture failed: ${error.stack}\n  kept:   ${folder}\n  seed:   ${seed}`);
    process.exit(1);
  });
}

/** An interrupted run leaves no process and no folder behind. */
function endOnSignals(folder: string): void {
  for (const [signal, number] of [
    ['SIGINT', 2],
    ['SIGTERM', 15],
    ['SIGHUP', 1],
  ] as const)
    process.once(signal, () => {
      // All of it is synchronous, so that no scenario can start another process in between.
      killProcessesIn(folder);
      removeTempDir(folder);
      process.exit(128 + number);
    });
}
