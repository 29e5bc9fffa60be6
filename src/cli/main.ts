import { systemCode } from '../errors.js';
import { runProgram } from './program.js';
import { endSoon } from './signals.js';

// A reader that has seen enough, such as `head`, is not a failure: the command goes on to its end without output.
process.stdout.on('error', (error) => {
  if (systemCode(error) !== 'EPIPE') throw error;
});
let isDone = false;
process.on('exit', failUnfinished);
process.exitCode = await runProgram(process.argv.slice(2));
isDone = true;
endSoon();

/**
 * A command that has not come to its end has failed, whatever the process would end with: Node.js ends with 0 when
 * nothing is left to wait for, and so does a plugin that calls `process.exit()`.
 */
function failUnfinished(code: number): void {
  if (isDone || code !== 0) return;
  process.exitCode = 1;
  console.error(
    `pressmark: ${process.argv[2] ?? 'the command'} ended before it was done; a plugin or the config waits for something that never happens, or ends the process`,
  );
}
