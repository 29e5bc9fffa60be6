/** A text that waits for its commit, and what is known of its path. */
export interface WaitingBlob {
  readonly blob: string;
  /** The path's blob on the branch about when the text was delivered. */
  readonly before: () => Promise<string | undefined>;
  /** What was committed there after that. */
  readonly since: () => Promise<ReadonlySet<string>>;
}

/**
 * How many of a path's waiting texts (oldest first) need no commit of their own any more, because the branch has
 * them already or has gone past them. Committing those would undo what the owner has committed.
 *
 * @param tip the path's blob on the branch now.
 * @param own the blob that this process has committed there last, before it heard of these texts.
 * @param past blobs after which something newer was committed, by another receiver or by the owner, as far as the file
 *   shows it.
 * @param madeFromTip the index of the first of them that is a person's edit of the very version that the branch has: that
 *   version came first, whoever has committed it; -1 where there is none.
 * @param isInFile whether the file still holds the last of them, or what a person has made from it; asked only where
 *   the others do not tell.
 */
export async function supersededCount(
  waiting: readonly WaitingBlob[],
  tip: string | undefined,
  own: string | undefined,
  past: () => Promise<ReadonlySet<string>>,
  madeFromTip: () => Promise<number>,
  isInFile: () => Promise<boolean>,
): Promise<number> {
  const there = tip === undefined ? -1 : waiting.findLastIndex(({ blob }) => blob === tip);
  if (there !== -1) return there + 1;
  if (tip !== undefined && tip === own) return 0;
  const gone = tip === undefined ? new Set<string>() : await past();
  const overtakenInFile = waiting.findLastIndex(({ blob }) => gone.has(blob));
  if (overtakenInFile !== -1) return overtakenInFile + 1;
  const edit = tip === undefined ? -1 : await madeFromTip();
  if (edit !== -1) return edit;
  const befores = await Promise.all(waiting.map(({ before }) => before()));
  const hasMoved = (index: number) => befores[index] !== tip;
  // Somebody has committed another text, or the removal, since these came; each has a moment of its own, or stands on
  // one that waits before it, and has come to what has come to that.
  const isOvertaken: boolean[] = [];
  for (const index of waiting.keys()) {
    const below = waiting.slice(0, index).findLastIndex(({ blob }) => blob === befores[index]);
    isOvertaken.push(hasMoved(index) && (isOvertaken[below] ?? true));
  }
  const overtaken = isOvertaken.lastIndexOf(true);
  // Where the file still holds what was delivered last, that commit is of an older state: another Pressmark's,
  // perhaps, which has the same texts before it.
  if (overtaken !== -1 && !(await isInFile())) return overtaken + 1;
  for (const [index, one] of [...waiting.entries()].reverse())
    if (hasMoved(index) && (await one.since()).has(one.blob)) return index + 1;
  return 0;
}
