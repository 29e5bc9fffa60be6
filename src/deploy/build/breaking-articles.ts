/** Builds the site without these articles. @returns undefined where the build succeeded, else why it failed. */
export type BuildWithout = (excluded: ReadonlySet<string>) => Promise<string | undefined>;

/**
 * Finds the articles that break a build which has just failed with all candidates. What the build printed often names
 * the file, so those are tried first; else the candidates are halved again and again. One article among `n` costs 2 builds
 * where it is named, and about `1.5 * log2(n) + 1` where not.
 *
 * @param candidates the articles that have changed since the last good build.
 * @param printed why the build failed: the end of what it printed.
 * @returns the articles without which the build succeeds, each with the reason of a build that failed with it; undefined
 *   if the build fails without all candidates, too.
 */
export async function findBreakingArticles(
  candidates: readonly string[],
  printed: string,
  build: BuildWithout,
): Promise<ReadonlyMap<string, string> | undefined> {
  const named = candidates.filter((path) => isNamed(path, printed));
  for (const group of named.length > 0 && named.length < candidates.length
    ? [named, candidates]
    : [candidates])
    if (group.length > 0 && (await build(new Set(group))) === undefined)
      return await breakingAmong(group, printed, build);
  return undefined;
}

/** Whether a text names a file, by its path or by its name. */
function isNamed(path: string, printed: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  // `index.md` is the name of many posts; then the folder's name counts as well.
  return printed.includes(/^(?:_?index)\./.test(name) ? path.split('/').slice(-2).join('/') : name);
}

/** The articles of a group that break the build, without which the build succeeds, and with which it fails. */
async function breakingAmong(
  group: readonly string[],
  printed: string,
  build: BuildWithout,
): Promise<ReadonlyMap<string, string>> {
  const breaking = new Map<string, string>();

  /**
   * @param rest is excluded while those of `some` are looked for.
   * @param reason why the build failed with `some`, without `rest` and without what was found so far.
   */
  async function search(some: readonly string[], rest: readonly string[], reason: string): Promise<void> {
    const [only, ...others] = some;
    if (only === undefined) return;
    if (others.length === 0) {
      breaking.set(only, reason);
      return;
    }
    const half = Math.ceil(some.length / 2);
    const [first, second] = [some.slice(0, half), some.slice(half)];
    const ofFirst = await build(new Set([...breaking.keys(), ...second, ...rest]));
    if (ofFirst !== undefined) await search(first, [...second, ...rest], ofFirst);
    // Where the first half is good, the second one cannot be: together they broke the build.
    const ofSecond = ofFirst === undefined ? reason : await build(new Set([...breaking.keys(), ...rest]));
    if (ofSecond !== undefined) await search(second, rest, ofSecond);
  }

  await search(group, [], printed);
  return breaking;
}
