import { messageOf, systemCode } from '../errors.js';
import { runProgram } from './program.js';
import { endSoon } from './signals.js';

for (const stream of [process.stdout, process.stderr]) stream.on('error', failUnprinted);
let isDone = false;
process.on('exit', failUnfinished);
process.exitCode = await runProgram(process.argv.slice(2));
isDone = true;
endSoon();

/** A closed pipe, as with `head`, is not a failure: the command continues without output. Any other error ends it. */
function failUnprinted(error: Error): void {
  if (systemCode(error) === 'EPIPE') return;
  console.error(`pressmark: the output cannot be written: ${messageOf(error)}`);
  process.exit(1);
}

/**
 * Makes an unfinished command fail. Otherwise Node.js would exit with 0 if nothing is left to wait for, and so would a plugin
 * that calls `process.exit()`.
 */
function failUnfinished(code: number): void {
  if (isDone || code !== 0) return;
  process.exitCode = 1;
  console.error(
    `pressmark: ${process.argv[2] ?? 'the command'} ended before it was done; a plugin or the config waits for something that never happens, or ends the process`,
  );
}
