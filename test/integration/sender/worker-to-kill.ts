// A worker as `pressmark work` runs it, but for its clock: node … <folder> <the clock's file>

import { pino } from 'pino';
import { openQueue } from '../../../src/sender/queue/queue.js';
import { createWorker } from '../../../src/sender/queue/worker.js';
import { stateOf } from '../../../src/sender/state.js';
import { fileClock } from './file-clock.js';

const [dir = '', time = ''] = process.argv.slice(2);
const clock = fileClock(time);
const state = stateOf(dir);
const queue = openQueue({ state, now: clock.now });
const worker = createWorker({ state, queue, log: pino({ level: 'silent' }), clock });
await worker.run();
