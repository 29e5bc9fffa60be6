import fs from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The arguments of a run in which a scenario broke its promise. */
export interface FailedSeed {
  readonly minutes: number;
  readonly seed: number;
  readonly scenario: string;
}

/** Among the sources, to be committed with the fix. Each line has the arguments of `npm run torture --`. */
const FILE = fileURLToPath(new URL('../../../test/torture/failed-seeds.txt', import.meta.url));

/** The runs that have failed before. */
export function failedSeeds(): FailedSeed[] {
  const lines = fs.existsSync(FILE) ? fs.readFileSync(FILE, 'utf8').split('\n') : [];
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [minutes, seed, scenario = ''] = line.split(' ');
      return { minutes: Number(minutes), seed: Number(seed), scenario };
    });
}

/** Adds a run to the file, unless the scenario is there with this seed. */
export function keepFailedSeed({ minutes, seed, scenario }: FailedSeed): void {
  if (failedSeeds().some((one) => one.seed === seed && one.scenario === scenario)) return;
  fs.appendFileSync(FILE, `${minutes} ${seed} ${scenario}\n`);
}
