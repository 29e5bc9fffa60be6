import fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import { messageOf, PressmarkError, systemCode } from '../../errors.js';
import { discard, makeDirectory, putNew, type Staged, stage, syncDirectory } from '../../fs/atomic-write.js';

/** A file that `init` writes: a new one, or one with something added. */
export interface Change {
  /** Below the site's folder, with forward slashes. */
  readonly path: string;
  /** The text that is there; undefined for a new file. */
  readonly before: string | undefined;
  readonly after: string;
  /** What is done and why, such as `add .env to .gitignore`. */
  readonly reason: string;
  /** Permissions; default: those that the file has. */
  readonly mode?: number;
  /** Whether values in the file are private: a diff shows only their names. */
  readonly secret?: boolean;
}

/** A change as `diff -u` prints it. Of a private file it shows no values, neither the new secret nor the owner's. */
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

interface StagedChange extends Staged {
  readonly change: Change;
  readonly target: string;
}

/**
 * Writes all changes: first to temporary files, so that a folder which cannot be written to leaves everything as it
 * was, then under their names. A file that has changed since it was read is not replaced.
 *
 * @throws PressmarkError STORE_FAILED.
 */
export async function applyChanges(dir: string, changes: readonly Change[]): Promise<void> {
  const staged: StagedChange[] = [];
  const folders = new Set<string>();
  try {
    for (const change of changes) {
      const target = targetOf(dir, change);
      for (const folder of [...makeDirectory(dirname(target)), dirname(target)]) folders.add(folder);
      const mode = change.mode ?? fs.statSync(target, { throwIfNoEntry: false })?.mode;
      staged.push({ ...(await stage(dirname(target), change.after, mode)), change, target });
    }
    for (const { change, target } of staged) refuseChanged(target, change);
    for (const { temp, target, change } of staged) {
      if (change.before !== undefined) fs.renameSync(temp, target);
      else if (!putNew(temp, target)) throw changed(change);
    }
    for (const folder of folders) await syncDirectory(folder);
  } catch (cause) {
    if (cause instanceof PressmarkError || systemCode(cause) === undefined) throw cause;
    const what = changes.length === staged.length ? 'not everything was written' : 'nothing was written';
    throw new PressmarkError(
      'STORE_FAILED',
      `${changes[staged.length]?.path ?? basename(dir)} cannot be written, ${what}: ${messageOf(cause).split(',', 1)[0]}. Let this user write to the site’s folder and run pressmark init again`,
      { cause },
    );
  } finally {
    for (const { temp } of staged) discard(temp);
  }
}

/** A symbolic link stays one: the file that it leads to is written. */
function targetOf(dir: string, { path, before }: Change): string {
  const target = join(dir, path);
  return before === undefined ? target : fs.realpathSync(target);
}

function refuseChanged(target: string, change: Change): void {
  const now = fs.existsSync(target) ? fs.readFileSync(target) : undefined;
  const same =
    change.before === undefined ? now === undefined : now?.equals(Buffer.from(change.before)) === true;
  if (!same) throw changed(change);
}

function changed({ path, before }: Change): PressmarkError {
  const why = before === undefined ? 'has appeared meanwhile' : 'has changed meanwhile, or is not UTF-8';
  return new PressmarkError('STORE_FAILED', `${path} ${why}: it was left alone; run pressmark init again`);
}
