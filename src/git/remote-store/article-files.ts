import { join } from 'node:path';
import { stage } from '../../fs/atomic-write.js';
import type { Log } from '../../log.js';
import { within } from '../../time-limit.js';
import type { Repository } from '../cli/repository.js';
import type { CheckoutFolder } from '../push/checkout-folders.js';
import { isSame, replaceFile, unwritable, workFileAt } from '../push/work-file.js';
import type { WorktreeState } from '../push/worktree-state.js';

/** An article's file whose commit is on the remote already. */
export interface ArticleFile {
  /** From the top of the work tree. */
  readonly path: string;
  readonly text: string;
  /** The whole text of the file that it replaces; null for a new one. */
  readonly replaces: string | null;
}

/** Files that get their names together, as soon as the store's lock is free. */
interface Batch {
  readonly files: Map<string, ArticleFile>;
  /** Whether each file is in the work tree; false where a person's own file is in its place. */
  readonly written: Promise<ReadonlyMap<string, boolean>>;
}

/** How long an answer waits until the article is in the work tree, in milliseconds; then the file comes later. */
const WAIT_MS = 2_000;

/**
 * Returns a function that writes a stored article into the work tree, and waits for it as long as an answer can. It never
 * rejects: the remote has the article, and the work tree does not matter for its acknowledgement.
 *
 * @param folder from the top of the work tree to the content folder, with a slash at its end.
 */
export function createArticleFiles(
  repository: Repository,
  folder: string,
  { storeLock, bases, folders }: WorktreeState,
  log: Log,
) {
  let next: Batch | undefined;

  /** @param blob the name of the file's content. */
  async function write(file: ArticleFile, blob: string): Promise<void> {
    const path = file.path.slice(folder.length);
    let isLate = false;
    const written = writeSoon(file).then(
      (isWritten) => {
        if (isWritten) bases.set(file.path, blob);
        // Later, the branch follows, and reports the files that stay as they are.
        else if (!isLate)
          log.warn({ path }, 'a file that you have here and have not committed is in an article’s way');
      },
      (error: unknown) =>
        log.warn({ path, err: error }, 'a stored article could not be written into the work tree yet'),
    );
    // The branch may follow a large change, and keep the work tree for long.
    await within(WAIT_MS, written, () => undefined);
    isLate = true;
  }

  async function writeSoon(file: ArticleFile): Promise<boolean> {
    next ??= newBatch();
    const { files, written } = next;
    const earlier = files.get(file.path);
    files.set(file.path, earlier === undefined ? file : { ...file, replaces: earlier.replaces });
    return (await written).get(file.path) === true;
  }

  function newBatch(): Batch {
    const files = new Map<string, ArticleFile>();
    const end = () => {
      if (next === batch) next = undefined;
    };
    const written = storeLock.run(async () => {
      end();
      return writeAll([...files.values()]);
    });
    // where the lock was not to be had, the next article tries again
    const batch: Batch = { files, written: written.finally(end) };
    return batch;
  }

  async function writeAll(files: readonly ArticleFile[]): Promise<ReadonlyMap<string, boolean>> {
    const made = await folders.add();
    try {
      const written = files.map(async (file) => [file.path, await writeFile(file, made)] as const);
      return new Map(await Promise.all(written));
    } finally {
      await made.remove();
    }
  }

  async function writeFile({ path, text, replaces }: ArticleFile, made: CheckoutFolder): Promise<boolean> {
    if (unwritable(repository, path) !== undefined) return false;
    const now = workFileAt(join(repository.top, path));
    const content = Buffer.from(text);
    if (isSame({ content, isLink: false }, now)) return true;
    const expected = replaces === null ? undefined : { content: Buffer.from(replaces), isLink: false };
    if (!isSame(expected, now)) return false;
    const { temp } = await stage(made.path, content, now?.mode);
    return replaceFile(repository, path, now, temp, made.replacedPath(now?.content));
  }

  return { write };
}
