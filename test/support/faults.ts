import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import type { ReceiverOptions } from './receiver.js';
import type { Teardown } from './teardown.js';
import { tempDir } from './temp-dir.js';

/** What should happen at a file-system call of the receiver. */
export interface Rule {
  /** A unique name, under which the uses are counted. */
  readonly name: string;
  /**
   * The function of node:fs without `Sync`: open, write, fsync, link, rename, unlink, rm, mkdir.
   * `change` stands for all that change something or sync it: write, fsync, link, rename, unlink, rm, mkdir.
   */
  readonly call: string;
  /** A regular expression for the path; for calls with two paths, one of them must match. */
  readonly path: string;
  /** The call fails with this code instead of being made. */
  readonly code?: string;
  /** Half of the data is written before the call fails. */
  readonly halfway?: boolean;
  /** A person's editor, which has this file open already, saves this text in place, or by a rename. */
  readonly save?: { readonly path: string; readonly text: string; readonly byRename?: boolean };
  /** The process is stopped (SIGSTOP) here. */
  readonly stop?: boolean;
  /** The process is killed (SIGKILL) here. */
  readonly kill?: boolean;
  /** How many matching calls are made before the rule applies. @default 0 */
  readonly skip?: number;
  /** Whether `save`, `stop` and `kill` happen before or after the call is made. @default 'before' */
  readonly when?: 'before' | 'after';
  /** How many times the rule applies. @default no limit */
  readonly times?: number;
}

/** A call that the receiver made. */
export interface Traced {
  /** The process that made it. */
  readonly run: string;
  readonly call: string;
  readonly paths: readonly string[];
}

/** Controls the faults of a running receiver. */
export interface Faults {
  /** The options with which the receiver must be started. */
  readonly options: ReceiverOptions;
  /** Replaces all rules. */
  set(...rules: Omit<Rule, 'name'>[]): void;
  /** Removes all rules. */
  clear(): void;
  /** The calls since the last `clear` or `set`. */
  trace(): Traced[];
}

const PRELOAD = new URL('./fault.js', import.meta.url).href;

/** Makes faults for the receivers of one test. */
export function createFaults(t: Teardown): Faults {
  const folder = tempDir(t);
  const rulesPath = join(folder, 'rules.json');
  const tracePath = join(folder, 'trace');

  function set(...rules: Omit<Rule, 'name'>[]): void {
    const named = rules.map((rule) => ({ name: randomUUID(), ...rule }));
    // By rename, because a running receiver may read the rules at any moment.
    fs.writeFileSync(`${rulesPath}.new`, JSON.stringify(named));
    fs.renameSync(`${rulesPath}.new`, rulesPath);
    fs.writeFileSync(tracePath, '');
  }

  function trace(): Traced[] {
    const lines = fs.readFileSync(tracePath, 'utf8').split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Traced);
  }

  set();
  return {
    options: {
      storeOnly: true,
      preload: PRELOAD,
      env: { PRESSMARK_TEST_RULES: rulesPath, PRESSMARK_TEST_TRACE: tracePath },
    },
    set,
    clear: () => set(),
    trace,
  };
}

/** Makes faults for a receiver that all tests of a file share; such tests must be serial. */
export function sharedFaults(): Faults {
  // Removed at the end of the process, because a receiver may write its trace until the hooks of the file have run.
  return createFaults({ teardown: (dispose) => process.once('exit', dispose) });
}
