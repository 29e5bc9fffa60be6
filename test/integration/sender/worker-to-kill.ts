// A worker as `pressmark work` runs it, but for its clock: node … <folder> <when the clock began> <the clock's file>

import { pino } from 'pino';
import { openQueue } from '../../../src/sender/queue.js';
import { stateOf } from '../../../src/sender/state.js';
import { createWorker } from '../../../src/sender/worker.js';
import { compressedClock } from '../../support/compressed-clock.js';

const [dir = '', began = '', leaps = ''] = process.argv.slice(2);
const clock = compressedClock(Number(began), leaps);
const state = stateOf(dir);
const queue = openQueue({ state, now: clock.now });
const worker = createWorker({ state, queue, log: pino({ level: 'silent' }), clock });
await worker.run();
