import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Settings } from '../../config/load.js';
import { messageOf } from '../../errors.js';
import { lowerPriority } from '../../fs/process-priority.js';
import type { DoctorReport } from '../../host/records.js';
import type { Log } from '../../log.js';
import { PACKAGE_FOLDER } from '../../own-package.js';

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
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
      timeout: LONGEST_MS,
    });
    child = started;
    if (started.pid !== undefined) lowerPriority(started.pid);
    let text = '';
    started.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    const end = (error?: Error) => {
      if (child !== started) return;
      child = undefined;
      try {
        if (error !== undefined) throw error;
        last = { at: new Date().toISOString(), findings: JSON.parse(text) as DoctorReport['findings'] };
      } catch (cause) {
        log.warn({ reason: messageOf(cause) }, 'the checks of doctor could not be run');
      }
    };
    started.once('error', end);
    started.once('close', () => end());
  }

  return { report, close: () => child?.kill() };
}
