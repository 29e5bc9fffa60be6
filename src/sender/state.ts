import fs from 'node:fs';
import { join } from 'node:path';
import type { ZodError } from 'zod';
import { messageOf, PressmarkError, quote } from '../errors.js';

/** The sender's own folder, within the folder of articles. */
const NAME = '.pressmark-sender';

/** The paths of the sender's state. */
export interface SenderState {
  /** The folder of articles; paths of Markdown files are shown relative to it. */
  readonly dir: string;
  /** `.pressmark-sender`, which contains the lock. */
  readonly folder: string;
  readonly connectors: string;
  readonly deliveries: string;
  /** The pauses of receivers. */
  readonly pauses: string;
}

/** The paths below a folder, which may be named through a symbolic link; nothing is created. */
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
 * Creates the sender's folder if it is missing: readable only by its owner, as it contains secrets, and ignored by git.
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

/** The first fault in one of the sender's files: the field and the rule. */
export function firstIssue({ issues: [issue] }: ZodError): string {
  return issue === undefined ? 'is wrong' : `${issue.path.join('.')} ${issue.message}`.trim();
}
