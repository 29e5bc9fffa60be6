import fs from 'node:fs';
import { join } from 'node:path';
import type { ZodError } from 'zod';
import { messageOf, PressmarkError, quote } from '../errors.js';

/** The sender's own folder, in the folder it was pointed to. */
const NAME = '.pressmark-sender';

/** Where the sender keeps what it knows. */
export interface SenderState {
  /** The folder that the sender was pointed to; paths of Markdown files are shown relative to it. */
  readonly dir: string;
  /** `.pressmark-sender`: the lock lies here. */
  readonly folder: string;
  readonly connectors: string;
  readonly deliveries: string;
  /** Receivers that are left alone for a while. */
  readonly pauses: string;
}

/** The places below a folder, which may be named by way of a symbolic link; nothing is made. */
export function stateOf(given: string): SenderState {
  const dir = fs.existsSync(given) ? fs.realpathSync(given) : given;
  const folder = join(dir, NAME);
  return {
    dir,
    folder,
    connectors: join(folder, 'connectors'),
    deliveries: join(folder, 'deliveries'),
    pauses: join(folder, 'pauses'),
  };
}

/**
 * Makes the sender's folder where it is missing: readable by its owner alone, as it holds secrets, and ignored by git.
 *
 * @throws PressmarkError QUEUE_FAILED
 */
export function makeState(state: SenderState): void {
  try {
    fs.mkdirSync(state.folder, { recursive: true, mode: 0o700 });
    for (const folder of [state.connectors, state.deliveries, state.pauses])
      fs.mkdirSync(folder, { recursive: true });
    const ignore = join(state.folder, '.gitignore');
    if (!fs.existsSync(ignore)) fs.writeFileSync(ignore, '*\n');
  } catch (cause) {
    throw new PressmarkError(
      'QUEUE_FAILED',
      `${quote(state.folder, 200)} cannot be made: ${messageOf(cause)}; choose another folder with --dir`,
      { cause },
    );
  }
}

/** The first thing that is wrong with one of the sender's files: the field and the rule. */
export function firstIssue({ issues: [issue] }: ZodError): string {
  return issue === undefined ? 'is wrong' : `${issue.path.join('.')} ${issue.message}`.trim();
}
