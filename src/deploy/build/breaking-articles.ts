/** Builds the site without these articles. @returns undefined if the build succeeded, otherwise the reason of its failure. */
export type BuildWithout = (leftOut: ReadonlySet<string>) => Promise<string | undefined>;

/**
 * Finds the articles that break the build by bisection: adds them by halves, and splits each half that fails.
 *
 * @param waiting the articles without which the build succeeds, and with which it fails.
 * @param reason the end of the output of the build that failed with them.
 * @returns the breaking articles, each with the reason of a build that failed with it.
 */
export async function letIn(
  waiting: readonly string[],
  reason: string,
  build: BuildWithout,
): Promise<ReadonlyMap<string, string>> {
  const leftOut = new Set(waiting);
  const breaking = new Map<string, string>();

  /** @param group articles with which the build fails. @param reason the reason of that failure. */
  async function search(group: readonly string[], reason: string): Promise<void> {
    const [path = '', ...others] = group;
    if (others.length === 0) {
      breaking.set(path, reason);
      return;
    }
    const middle = Math.ceil(group.length / 2);
    const isFirstGood = await tryIn(group.slice(0, middle));
    await tryIn(group.slice(middle), isFirstGood ? reason : undefined);
  }

  /** @param known the reason why the build fails with this half, if that is known. @returns whether it succeeds. */
  async function tryIn(half: readonly string[], known?: string): Promise<boolean> {
    for (const path of half) leftOut.delete(path);
    const failure = known ?? (await build(new Set(leftOut)));
    if (failure === undefined) return true;
    for (const path of half) leftOut.add(path);
    await search(half, failure);
    return false;
  }

  await search(waiting, reason);
  return breaking;
}
