import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import { messageOf, PressmarkError, systemCode } from '../../errors.js';
import { writeAtomically } from '../../fs/atomic-write.js';

/** A file that `init` creates or extends. */
export interface Change {
  /** Below the site's folder, with forward slashes. */
  readonly path: string;
  /** The present text; undefined for a new file. */
  readonly before: string | undefined;
  readonly after: string;
  /** The change and its reason, such as `add .env to .gitignore`. */
  readonly reason: string;
  /** Permissions. @default unchanged */
  readonly mode?: number;
  /** Whether values in the file are private; then a diff shows only their names. */
  readonly secret?: boolean;
}

/** A change in the form of `diff -u`. For a private file it shows no values. */
export function diffOf({ path, before, after, secret }: Change): string {
  const shown = (text: string) => (secret === true ? masked(text) : text);
  const [old, now] = [shown(before ?? ''), shown(after)];
  if (old === now) return '';
  const from = before === undefined ? '/dev/null' : `a/${path}`;
  const options = { context: 3, headerOptions: FILE_HEADERS_ONLY };
  return createTwoFilesPatch(from, `b/${path}`, old, now, undefined, undefined, options);
}

function masked(text: string): string {
  return text.replace(/[^\r\n]+/g, (line) =>
    line.startsWith('PRESSMARK_SECRET=') ? 'PRESSMARK_SECRET=<random>' : '<hidden>',
  );
}

/**
 * Writes the changes one after the other, each file atomically. Nothing is written if a file has changed since it was read, or
 * is not UTF-8.
 *
 * @throws PressmarkError STORE_FAILED.
 */
export async function applyChanges(dir: string, changes: readonly Change[]): Promise<void> {
  for (const change of changes) refuseChanged(join(dir, change.path), change);
  // Secrets come last: before git ignores them, they could be committed.
  const inOrder = [false, true].flatMap((is) => changes.filter(({ secret = false }) => secret === is));
  for (const change of inOrder) {
    const path = join(dir, change.path);
    try {
      fs.mkdirSync(dirname(path), { recursive: true });
      // A symbolic link stays; its target is written.
      const target = change.before === undefined ? path : fs.realpathSync(path);
      const mode = change.mode ?? fs.statSync(target, { throwIfNoEntry: false })?.mode;
      await writeAtomically(target, change.after, mode);
    } catch (cause) {
      if (systemCode(cause) === undefined) throw cause;
      throw new PressmarkError(
        'STORE_FAILED',
        `${change.path} cannot be written: ${messageOf(cause).split(',', 1)[0]}. Let this user write to the site’s folder and run pressmark init again, which writes what is missing`,
        { cause },
      );
    }
  }
}

function refuseChanged(path: string, { path: name, before }: Change): void {
  // A dangling link counts as existing.
  const isThere = fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  const isSame =
    before === undefined
      ? !isThere
      : fs.existsSync(path) && fs.readFileSync(path).equals(Buffer.from(before));
  if (isSame) return;
  const why = before === undefined ? 'has appeared meanwhile' : 'has changed meanwhile, or is not UTF-8';
  throw new PressmarkError('STORE_FAILED', `${name} ${why}: it was left alone; run pressmark init again`);
}
