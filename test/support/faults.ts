import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import type { ReceiverOptions } from './receiver.js';
import { tempDir } from './temp-dir.js';

/** What shall happen at a file-system call of the receiver. */
export interface Rule {
  /** Unique; under it the uses are counted. */
  readonly name: string;
  /**
   * The function of node:fs, be it `openSync` or `open`: open, write, fsync, link, rename, unlink, rm, mkdir, stat.
   * `change` stands for all that change something or sync it: write, fsync, link, rename, unlink, rm, mkdir.
   */
  readonly call: string;
  /** A regular expression; the path, or for two-path calls either of them. */
  readonly path: string;
  /** The call fails with this code instead of being made. */
  readonly code?: string;
  /** Half of the data is written before it fails. */
  readonly halfway?: boolean;
  /** A person's editor, which has this file open already, saves this text in place. */
  readonly save?: { readonly path: string; readonly text: string };
  /** The process is stopped (SIGSTOP) here. */
  readonly stop?: boolean;
  /** The process is killed (SIGKILL) here. */
  readonly kill?: boolean;
  /** So many calls pass before it holds. @default 0 */
  readonly skip?: number;
  /** Whether `save`, `stop` and `kill` happen before or after the call is made. @default 'before' */
  readonly when?: 'before' | 'after';
  /** The rule does not hold as long as this file has this text. */
  readonly unless?: { readonly path: string; readonly text: string };
  /** How often; always, where it is not said. */
  readonly times?: number;
}

/** A call that the receiver made. */
export interface Traced {
  /** The process that made it. */
  readonly run: string;
  readonly call: string;
  readonly paths: readonly string[];
}

/** How a test makes calls of a running receiver fail, stop or be preceded by an edit. */
export interface Faults {
  /** What the receiver must be started with. */
  readonly options: ReceiverOptions;
  /** From now on these rules hold, and no others. */
  set(...rules: Omit<Rule, 'name'>[]): void;
  clear(): void;
  /** What was called since the last `clear` or `set`. */
  trace(): Traced[];
}

const PRELOAD = new URL('./fault.js', import.meta.url).href;

/** Faults that a receiver of this test can be given while it runs. */
export function createFaults(t: { teardown(dispose: () => void): void }): Faults {
  const folder = tempDir(t);
  const rulesPath = join(folder, 'rules.json');
  const tracePath = join(folder, 'trace');

  function set(...rules: Omit<Rule, 'name'>[]): void {
    const named = rules.map((rule) => ({ name: randomUUID(), ...rule }));
    // By rename: the receiver may be reading.
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

/** Faults for a receiver that all tests of a file share; such tests are serial. */
export function sharedFaults(): Faults {
  // At the end of the process: until its hooks have run, a receiver may still write there.
  return createFaults({ teardown: (dispose) => process.once('exit', dispose) });
}
