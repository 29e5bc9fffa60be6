import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { messageOf, PressmarkError, systemCode } from '../../errors.js';
import { syncDirectory, syncFile } from '../../fs/atomic-write.js';
import { eachAtATime } from '../../fs/each-at-a-time.js';
import { isGone } from '../../store/catalog/entry.js';
import { FILES_AT_A_TIME, fileIn, filesIn, tryLink } from '../folder-files.js';
import type { DeployOutput, DeployTarget } from './target.js';

/** So many releases are kept, the present one among them. */
const KEPT = 5;

/** A name such as `20261122T210500Z-1f3a`, so that names sort by time. */
const RELEASE = /^\d{8}T\d{9}Z-[0-9a-f]{4}$/;

/** The beginning of the names of copies that become the next release, and of those that are being removed. */
const NEXT = '.next-';
const REMOVED = '.removed-';

/**
 * A folder of this machine: each deploy is a release of its own, `<folder>/releases/<time>`, and `<folder>/current` is a
 * symbolic link to the last one, which one rename replaces. A web server that serves `current` never has half a site, and
 * the last five releases stay for whoever wants to go back.
 *
 * The next release is prepared after each deploy, so that a deploy costs what has changed and not what the site has: it is
 * made of the oldest release, in which what has changed since is linked to the present one.
 *
 * @param folder absolute.
 */
export function folderTarget(folder: string): Required<Omit<DeployTarget, 'outcome'>> {
  const releases = join(folder, 'releases');
  const current = join(folder, 'current');
  // A unique name, because other receivers on the site's folder deploy to the same deploy folder.
  const next = join(releases, `${NEXT}${randomBytes(6).toString('hex')}`);
  /** The release that `next` is a whole copy of. */
  let nextIsOf: string | undefined;
  /** What has changed since each of the last releases, where this process has made them all. */
  const changedSince = new Map<string, Set<string>>();
  /** The last release that this process has made. */
  let lastRelease: string | undefined;

  async function deploy(given: DeployOutput, signal: AbortSignal): Promise<void> {
    const { folder: output, changed } = given;
    try {
      fs.mkdirSync(releases, { recursive: true });
      const present = presentRelease();
      if (present !== lastRelease) changedSince.clear();
      const isPrepared = present !== undefined && nextIsOf === present && fs.existsSync(next);
      if (!isPrepared) await prepare(present, signal);
      nextIsOf = undefined; // it becomes another one now
      const files = isPrepared && changed !== undefined ? changed : await differing(given, next);
      signal.throwIfAborted();
      await copyFiles(files, output, next);
      const name = releaseName();
      fs.renameSync(next, join(releases, name));
      await syncDirectory(releases);
      await switchTo(name);
      for (const all of changedSince.values()) for (const file of files) all.add(file);
      changedSince.set(name, new Set());
      lastRelease = name;
    } catch (error) {
      if (error instanceof PressmarkError || signal.aborted) throw error;
      throw new PressmarkError(
        'DEPLOY_FAILED',
        `the release could not be written into the deploy folder: ${messageOf(error)}`,
        { cause: error },
      );
    }
  }

  function presentRelease(): string | undefined {
    try {
      const name = basename(fs.readlinkSync(current));
      return RELEASE.test(name) && fs.existsSync(join(releases, name)) ? name : undefined;
    } catch (error) {
      if (isGone(error)) return undefined;
      if (systemCode(error) === 'EINVAL')
        throw new PressmarkError(
          'DEPLOY_FAILED',
          'current in the deploy folder is not a symbolic link; move it away, so that Pressmark can make one',
        );
      throw error;
    }
  }

  /** Makes `next` a copy of a release; empty where there is none. */
  async function prepare(release: string | undefined, signal: AbortSignal): Promise<void> {
    nextIsOf = undefined; // until the copy is whole
    await removeCopies();
    const [reused, ...others] = oldReleases(release);
    for (const name of others) await removeRelease(name);
    const changed = reused === undefined ? undefined : changedSince.get(reused);
    if (release === undefined) fs.mkdirSync(next);
    else if (reused !== undefined && changed !== undefined) {
      changedSince.delete(reused);
      fs.renameSync(join(releases, reused), next);
      await linkFiles(changed, join(releases, release), next, signal);
    } else {
      if (reused !== undefined) await removeRelease(reused);
      fs.mkdirSync(next);
      const from = join(releases, release);
      await linkFiles(await filesIn(from), from, next, signal);
    }
    nextIsOf = release;
  }

  /** The releases that need not be kept, the newest first. One that the owner has gone back to stays. */
  function oldReleases(present: string | undefined): string[] {
    const names = fs.readdirSync(releases).filter((name) => RELEASE.test(name));
    return names
      .toSorted()
      .slice(0, -KEPT)
      .filter((name) => name !== present)
      .toReversed();
  }

  async function removeRelease(name: string): Promise<void> {
    changedSince.delete(name);
    await removeFolder(join(releases, name));
  }

  /** Removes the copies of all receivers. One that still lives makes its copy anew. */
  async function removeCopies(): Promise<void> {
    for (const name of fs.readdirSync(releases)) {
      if (name.startsWith(NEXT)) await removeFolder(join(releases, name));
      else if (name.startsWith(REMOVED))
        await fs.promises.rm(join(releases, name), { recursive: true, force: true });
    }
  }

  /** Removes a folder under another name: half removed, it must not pass for a whole one. */
  async function removeFolder(path: string): Promise<void> {
    const removed = join(releases, `${REMOVED}${randomBytes(6).toString('hex')}`);
    try {
      await fs.promises.rename(path, removed);
    } catch (error) {
      if (isGone(error)) return;
      throw error;
    }
    await fs.promises.rm(removed, { recursive: true, force: true });
  }

  async function switchTo(name: string): Promise<void> {
    const link = join(folder, `.pressmark-${randomBytes(6).toString('hex')}.tmp`);
    fs.symlinkSync(join('releases', name), link);
    fs.renameSync(link, current);
    await syncDirectory(folder);
  }

  async function prepareNext(signal: AbortSignal): Promise<void> {
    if (lastRelease !== undefined && nextIsOf !== lastRelease) await prepare(lastRelease, signal);
  }

  return { name: `folder ${folder}`, deploy, prepareNext };
}

/** The files that an output and a copy do not have alike, by size and time. */
async function differing({ folder, onSkipped }: DeployOutput, copy: string): Promise<string[]> {
  const fingerprint = async (path: string) => {
    try {
      const { size, mtimeMs } = await fs.promises.stat(path);
      return `${size} ${Math.round(mtimeMs)}`;
    } catch (error) {
      if (isGone(error)) return undefined;
      throw error;
    }
  };
  const found: string[] = [];
  const present = new Set(await filesIn(folder, onSkipped));
  const files = new Set([...present, ...(await filesIn(copy))]);
  await eachAtATime(FILES_AT_A_TIME, files, async (file) => {
    const isSame =
      present.has(file) && (await fingerprint(join(folder, file))) === (await fingerprint(join(copy, file)));
    if (!isSame) found.push(file);
  });
  return found;
}

/** Gives files of one tree second names in another; removes there what the first one does not have. */
async function linkFiles(
  files: Iterable<string>,
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<void> {
  const present: string[] = [];
  const gone: string[] = [];
  await eachAtATime(FILES_AT_A_TIME, files, async (file) => {
    (isFileAt(join(from, file)) ? present : gone).push(file);
  });
  for (const file of gone) removeFile(to, file);
  const folders = new Set<string>();
  await eachAtATime(FILES_AT_A_TIME, present, async (file) => {
    signal.throwIfAborted();
    const folder = join(to, dirname(file));
    if (!folders.has(folder)) fs.mkdirSync(folder, { recursive: true });
    folders.add(folder);
    await fs.promises.rm(join(to, file), { recursive: true, force: true });
    if (await tryLink(join(from, file), join(to, file))) return;
    await copyWithTimes(join(from, file), join(to, file));
  });
}

/** Copies files with their times, each whole; removes those that the output does not have any more. */
async function copyFiles(files: Iterable<string>, output: string, to: string): Promise<void> {
  const folders = new Set<string>();
  const all = [...files];
  const isThere = (file: string) => fileIn(output, file) !== undefined;
  for (const file of all.filter((one) => !isThere(one))) removeFile(to, file);
  await eachAtATime(FILES_AT_A_TIME, all.filter(isThere), async (file) => {
    const target = join(to, file);
    const temp = join(dirname(target), `.pressmark-${randomBytes(6).toString('hex')}.tmp`);
    for (
      let made = fs.mkdirSync(dirname(target), { recursive: true }), at = dirname(target);
      made !== undefined;
    ) {
      folders.add(dirname(at));
      if (at === made) break;
      at = dirname(at);
    }
    // A new file: releases share the old one.
    await copyWithTimes(join(output, file), temp);
    await fs.promises.rename(temp, target);
    folders.add(dirname(target));
  });
  await eachAtATime(FILES_AT_A_TIME, [...folders], syncDirectory);
}

/** Whether there is a file. @throws the system's errors: a file that cannot be examined is not a missing file. */
function isFileAt(path: string): boolean {
  try {
    return fs.statSync(path).isFile();
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

/** Copies a file with its times, which later comparisons rely on, and syncs it. */
async function copyWithTimes(from: string, to: string): Promise<void> {
  await fs.promises.copyFile(from, to, fs.constants.COPYFILE_FICLONE);
  const { atime, mtime } = await fs.promises.stat(from);
  await fs.promises.utimes(to, atime, mtime);
  await fs.promises.chmod(to, 0o644);
  await syncFile(to);
}

function removeFile(root: string, file: string): void {
  fs.rmSync(join(root, file), { recursive: true, force: true });
  for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) {
    try {
      fs.rmdirSync(join(root, folder));
    } catch (error) {
      if (['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(systemCode(error) ?? '')) return;
      throw error;
    }
  }
}

function releaseName(): string {
  const time = new Date().toISOString().replaceAll(/[-:.]/g, '');
  return `${time}-${randomBytes(2).toString('hex')}`;
}
