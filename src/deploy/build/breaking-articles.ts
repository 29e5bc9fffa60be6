/** Builds the site without these articles. @returns undefined if the build succeeded, else why it failed. */
export type BuildWithout = (leftOut: ReadonlySet<string>) => Promise<string | undefined>;

/**
 * Lets articles in again by halves; a half that breaks the build is halved again, down to the articles that break it.
 *
 * @param waiting articles without which the build succeeds, and with which it fails.
 * @param reason why it fails with them: the end of what it printed.
 * @returns the articles without which the build succeeds, each with the reason of a build that failed with it.
 */
export async function letIn(
  waiting: readonly string[],
  reason: string,
  build: BuildWithout,
): Promise<ReadonlyMap<string, string>> {
  const leftOut = new Set(waiting);
  const breaking = new Map<string, string>();

  /** @param group articles with which the build fails, for this reason. */
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

  /** @param known why the build fails with this half. @returns whether it succeeds with it. */
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
