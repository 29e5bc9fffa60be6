/**
 * `incremental-sequences.js <number>`: builds sites after random sequences of changes, and compares each with a clean
 * build. A process of its own, as it replaces `spawn`.
 */
import assert from 'node:assert/strict';
import childProcess from 'node:child_process';
import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import { buildEach, sequence } from '../integration/site/changing-site.js';
import { siteIn } from '../integration/site/test-site.js';
import { fc } from '../support/property.js';
import { makeTempDir } from '../support/temp-dir.js';

// No other process builds these sites and no power fails: the programs that lock and sync take half of the time, and
// change no file.
const { spawn } = childProcess;
Object.assign(childProcess, {
  spawn: (command: string, ...rest: []) =>
    command === 'flock' || command === 'sync' ? endedAtOnce() : spawn(command, ...rest),
});
syncBuiltinESMExports();

function endedAtOnce(): EventEmitter {
  const program = new EventEmitter();
  queueMicrotask(() => program.emit('exit', 0));
  return program;
}

const numRuns = Number(process.argv[2]);
let changes = 0;
await fc.assert(
  fc.asyncProperty(sequence, async (steps) => {
    const { built, clean } = await buildEach(siteIn(makeTempDir(), { settings: { toc: 2 } }), steps);
    assert.deepEqual(built, clean);
    changes += steps.length;
  }),
  { numRuns },
);
console.log(`${numRuns} sequences, ${changes} changes`);
