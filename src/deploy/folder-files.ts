import fs from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../errors.js';

/** So many files are read or written at a time. */
const AT_A_TIME = 16;

/** Does the same for each of a list, a few at a time. @throws the first error; what is under way ends before. */
export async function eachAtATime<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const rest = items[Symbol.iterator]();
  let failure: { readonly error: unknown } | undefined;
  const worker = async () => {
    for (let item = rest.next(); item.done !== true && failure === undefined; item = rest.next()) {
      try {
        await work(item.value);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  if (failure !== undefined) throw failure.error;
}

/** The names of all files below a folder, relative to it, with forward slashes. Links count as what they lead to. */
export async function filesIn(root: string, below = ''): Promise<string[]> {
  const names: string[] = [];
  for (const entry of await fs.promises.readdir(join(root, below), { withFileTypes: true })) {
    const name = below === '' ? entry.name : `${below}/${entry.name}`;
    const kind = entry.isSymbolicLink() ? fs.statSync(join(root, name), { throwIfNoEntry: false }) : entry;
    if (kind?.isDirectory() === true) names.push(...(await filesIn(root, name)));
    else if (kind?.isFile() === true) names.push(name);
  }
  return names;
}

/** Gives a file a second name. @returns false where the file system cannot do that, or where the file is a symbolic link. */
export async function tryLink(file: string, name: string): Promise<boolean> {
  if ((await fs.promises.lstat(file)).isSymbolicLink()) return false;
  try {
    await fs.promises.link(file, name);
    return true;
  } catch (error) {
    if (['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP'].includes(systemCode(error) ?? '')) return false;
    throw error;
  }
}
