import { fileURLToPath } from 'node:url';
import { runNode } from './processes.js';
import { type Attack, BrokenPromise, type Scenario } from './scenario.js';

const SEQUENCES = fileURLToPath(new URL('incremental-sequences.js', import.meta.url));
/** With more of them, a run would overrun its time by more than a minute on a busy machine. */
const BATCH = 500;

export const incremental: Scenario = {
  name: 'incremental',
  promise:
    'After any sequence of changes, restarts and kills the site is what a clean build makes, byte by byte.',
  weight: 1,
  run: async (attack) => {
    let batches = 0;
    do await attackBatch(attack.seed + batches++, attack);
    while (performance.now() < attack.deadline);
    return { sequences: batches * BATCH, lastSeed: attack.seed + batches - 1 };
  },
};

/** @throws BrokenPromise with the shortest sequence that was found. */
async function attackBatch(seed: number, { dir, note }: Attack): Promise<void> {
  const env = { TMPDIR: dir, PRESSMARK_TEST_SEED: String(seed) };
  const { output, code } = await runNode([SEQUENCES, String(BATCH)], env);
  note(`seed ${seed}: ${output.trim()}`);
  if (code !== 0)
    throw new BrokenPromise(
      `the built site should be what a clean build makes; seed ${seed}: ${output.trim()}`,
    );
}
