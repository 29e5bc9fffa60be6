import { rawDiff } from '../cli/history.js';
import { contentsOf } from '../cli/objects.js';
import type { Repository } from '../cli/repository.js';
import { filesAt } from '../cli/tree.js';

/** How many files that are gone from the work tree are read for their ids. */
const MOST_READ = 1_000;

export interface RenamedFilesOptions {
  readonly repository: Repository;
  /** Reads a text that an article's file has held; undefined where it is not an article. */
  readonly decode: (path: string, text: string) => { readonly article: { readonly id: string } } | undefined;
  /** The files of an article, relative to the site's folder. */
  readonly pathsOf: (id: string) => readonly string[];
}

/** An article's file at whose path a commit has nothing. */
export interface NewFile {
  /** From the top of the work tree. */
  readonly inRepository: string;
  /** Its content's name in git. */
  readonly blob: string;
  /** The article's id; undefined where the file is not an article. */
  readonly id: string | undefined;
}

/**
 * Finds the files that a person has renamed or copied: the commit has the same article under another path. Such a change
 * is the person's to commit, both halves of it at once.
 *
 * @returns that other path, from the top of the work tree, by the file's own.
 */
export async function renamedFiles(
  { repository, decode, pathsOf }: RenamedFilesOptions,
  commit: string | null,
  files: readonly NewFile[],
): Promise<ReadonlyMap<string, string>> {
  const renamed = new Map<string, string>();
  if (commit === null || files.length === 0) return renamed;
  const { prefix } = repository;
  const gone = (await rawDiff(repository, ['diff-index', '--diff-filter=D'], commit)).flatMap(
    ({ path, before }) => (before === null || !path.startsWith(prefix) ? [] : [{ path, blob: before.id }]),
  );
  const read = gone.slice(0, MOST_READ);
  const texts = await contentsOf(
    repository,
    read.map(({ blob }) => blob),
  );
  const byBlob = new Map(gone.map(({ path, blob }) => [blob, path]));
  const byId = new Map(
    read.map(({ path, blob }) => [
      decode(path.slice(prefix.length), texts.get(blob)?.toString('utf8') ?? '')?.article.id,
      path,
    ]),
  );
  const copies = files.flatMap(({ id }) => (id === undefined ? [] : pathsOf(id)));
  const committed = await filesAt(
    repository,
    commit,
    copies.map((path) => `${prefix}${path}`),
  );
  for (const { inRepository, blob, id } of files) {
    const copied = (id === undefined ? [] : pathsOf(id)).map((path) => `${prefix}${path}`);
    const other =
      byBlob.get(blob) ??
      (id === undefined ? undefined : byId.get(id)) ??
      copied.find((path) => path !== inRepository && committed.has(path));
    if (other !== undefined && other !== inRepository) renamed.set(inRepository, other);
  }
  return renamed;
}
