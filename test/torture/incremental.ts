import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
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
  const child = spawn(process.execPath, [SEQUENCES, String(BATCH)], {
    env: { ...process.env, TMPDIR: dir, PRESSMARK_TEST_SEED: String(seed) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  await once(child, 'close');
  note(`seed ${seed}: ${output.trim()}`);
  if (child.exitCode !== 0)
    throw new BrokenPromise(
      `the built site should be what a clean build makes; seed ${seed}: ${output.trim()}`,
    );
}
