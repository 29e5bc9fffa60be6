// A worker for the benchmark: node … <folder> <lanes>. Sends what is queued there and prints how many seconds it took.

import { pino } from 'pino';
import { openQueue } from '../../src/sender/queue/queue.js';
import { createWorker } from '../../src/sender/queue/worker.js';
import { stateOf } from '../../src/sender/state.js';

const [dir = '', lanes = ''] = process.argv.slice(2);
const state = stateOf(dir);
const queue = openQueue({ state });
let delivered = 0;
const worker = createWorker({
  state,
  queue,
  log: pino({ level: 'silent' }),
  lanes: Number(lanes),
  onAttempt: ({ outcome }) => {
    if (outcome.result === 'accepted') delivered++;
  },
});
const started = performance.now();
await worker.sendDue();
console.log(JSON.stringify({ delivered, seconds: (performance.now() - started) / 1000 }));
queue.close();
