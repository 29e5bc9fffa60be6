/**
 * How many of a path's waiting texts (their blobs, oldest first) need no commit of their own any more, because
 * the branch has them already or has gone past them. Committing those would undo what the owner has committed.
 *
 * @param tip the path's blob on the branch now.
 * @param before its blob on the branch about when the texts were delivered.
 * @param onDisk what the file holds now, as git may name it; asked only where the other two do not tell.
 */
export async function supersededCount(
  waiting: readonly string[],
  tip: string | undefined,
  before: () => Promise<string | undefined>,
  onDisk: () => Promise<ReadonlySet<string>>,
): Promise<number> {
  const there = tip === undefined ? -1 : waiting.lastIndexOf(tip);
  if (there !== -1) return there + 1;
  if ((await before()) === tip) return 0;
  // Somebody has committed another text, or the removal, since. Where the file still holds what was delivered
  // last, that commit is of an older state.
  const last = waiting.at(-1);
  return last !== undefined && (await onDisk()).has(last) ? 0 : waiting.length;
}
