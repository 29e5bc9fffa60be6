import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Settings } from '../../config/load.js';
import { messageOf } from '../../errors.js';
import { lowerPriority } from '../../fs/process-priority.js';
import type { DoctorReport } from '../../host/records.js';
import type { Log } from '../../log.js';
import { PACKAGE_FOLDER } from '../../own-package.js';
import { fail } from './finding.js';

/** After which time findings are renewed, in milliseconds. */
const OLD_MS = 15 * 60_000;

/** The time limit of a run, in milliseconds: git may wait for a remote, and a folder may hold 100,000 articles. */
const LONGEST_MS = 5 * 60_000;

/** `pressmark doctor` within a receiver; see `createDoctor`. */
export interface RunningDoctor {
  report(again?: boolean): DoctorReport;
  /** Ends the current run. */
  close(): void;
}

/**
 * Runs `pressmark doctor` on request, in a separate process: it sets up plugins, reads every article and asks the remote, which
 * must not delay deliveries.
 */
export function createDoctor({ dir, port, host, environment }: Settings, log: Log): RunningDoctor {
  let last: Pick<DoctorReport, 'at' | 'findings'> = { at: undefined, findings: [] };
  let child: ChildProcess | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;

  function report(again = false): DoctorReport {
    if (child === undefined && (again || Date.now() - askedAt > OLD_MS)) look();
    return { ...last, isRunning: child !== undefined };
  }

  function look(): void {
    askedAt = Date.now();
    const program = join(PACKAGE_FOLDER, 'dist', 'pressmark', 'bin.cjs');
    const flags = [
      '--json',
      '--dir',
      dir,
      '--port',
      String(port),
      ...(host === undefined ? [] : ['--host', host]),
    ];
    const started = spawn(process.execPath, [program, 'doctor', ...flags], {
      // Pressmark's own process gets the secrets, as it checks whether they are set.
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      timeout: LONGEST_MS,
    });
    child = started;
    if (started.pid !== undefined) lowerPriority(started.pid);
    const printed = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      started[name].setEncoding('utf8').on('data', (chunk: string) => {
        printed[name] += chunk;
      });
    const end = (error?: Error) => {
      if (child !== started) return;
      child = undefined;
      const at = new Date().toISOString();
      try {
        if (error !== undefined) throw error;
        last = { at, findings: JSON.parse(printed.stdout) as DoctorReport['findings'] };
      } catch (cause) {
        // Such as a fault of the config, with which the next start is refused.
        const reason = printed.stderr.trim().replace(/^pressmark: /, '') || messageOf(cause);
        log.warn({ reason }, 'the checks of doctor could not be run');
        last = { at, findings: [fail('doctor', reason, 'correct that, and run the checks again')] };
      }
    };
    started.once('error', end);
    started.once('close', () => end());
  }

  function close(): void {
    child?.kill();
    child = undefined;
  }

  return { report, close };
}
