/** Builds the site without these articles. @returns whether the build succeeded. */
export type BuildWithout = (excluded: ReadonlySet<string>) => Promise<boolean>;

/**
 * Finds the articles that break a build which has just failed with all candidates. What the build printed often names
 * the file, so those are tried first; else the candidates are halved again and again. One article among `n` costs 2 builds
 * where it is named, and about `1.5 * log2(n) + 1` where not.
 *
 * @param candidates the articles that have changed since the last good build.
 * @param printed the end of what the failed build printed.
 * @returns the articles without which the build succeeds; undefined if it fails without all candidates, too.
 */
export async function findBreakingArticles(
  candidates: readonly string[],
  printed: string,
  build: BuildWithout,
): Promise<ReadonlySet<string> | undefined> {
  const named = candidates.filter((path) => isNamed(path, printed));
  for (const group of named.length > 0 && named.length < candidates.length
    ? [named, candidates]
    : [candidates])
    if (group.length > 0 && (await build(new Set(group)))) return await breakingAmong(group, build);
  return undefined;
}

/** Whether a text names a file, by its path or by its name. */
function isNamed(path: string, printed: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  // `index.md` is the name of many posts; then the folder's name counts as well.
  return printed.includes(/^(?:_?index)\./.test(name) ? path.split('/').slice(-2).join('/') : name);
}

/** The articles of a group that break the build, without which the build succeeds, and with which it fails. */
async function breakingAmong(group: readonly string[], build: BuildWithout): Promise<ReadonlySet<string>> {
  const breaking = new Set<string>();

  /** @param rest is excluded while those of `some` are looked for. */
  async function search(some: readonly string[], rest: readonly string[]): Promise<void> {
    const [only, ...others] = some;
    if (only === undefined) return;
    if (others.length === 0) {
      breaking.add(only);
      return;
    }
    const half = Math.ceil(some.length / 2);
    const [first, second] = [some.slice(0, half), some.slice(half)];
    const isFirstGood = await build(new Set([...breaking, ...second, ...rest]));
    if (!isFirstGood) await search(first, [...second, ...rest]);
    // Where the first half is good, the second one cannot be: together they broke the build.
    if (isFirstGood || !(await build(new Set([...breaking, ...rest])))) await search(second, rest);
  }

  await search(group, []);
  return breaking;
}
