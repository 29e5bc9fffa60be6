// Loaded into a receiver before the program: on SIGUSR2 it writes the longest stop of the answering thread since the last one.
import fs from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const { LOOP_DELAY_FILE: file } = process.env;
if (isMainThread && file !== undefined) {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  process.on('SIGUSR2', () => {
    fs.writeFileSync(`${file}.tmp`, String(delays.max / 1e6));
    fs.renameSync(`${file}.tmp`, file);
    delays.reset();
  });
}
