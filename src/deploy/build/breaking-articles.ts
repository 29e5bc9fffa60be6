/** Builds the site without these articles. @returns undefined where the build succeeded, else why it failed. */
export type BuildWithout = (leftOut: ReadonlySet<string>) => Promise<string | undefined>;

/**
 * Finds the articles that break a build which has just failed with all that wait. First the site is built with the last good
 * content, which shows whether it is an article at all; what the build printed often names the file, so those named are
 * tried first.
 *
 * @param waiting the articles that have changed since the last good build.
 * @param reason why the build failed: the end of what it printed.
 * @returns the articles without which the build succeeds, each with the reason of a build that failed with it; or why the
 *   build fails without all that wait, too.
 */
export async function findBreakingArticles(
  waiting: readonly string[],
  reason: string,
  build: BuildWithout,
): Promise<ReadonlyMap<string, string> | string> {
  const named = waiting.filter((path) => isNamed(path, reason));
  let failure: string | undefined = reason;
  for (const group of named.length < waiting.length ? [named, waiting] : [waiting]) {
    if (group.length > 0) failure = await build(new Set(group));
    if (failure === undefined) return await letIn(group, reason, build);
  }
  return failure;
}

/** Whether a text names a file, by its path or by its name. */
function isNamed(path: string, printed: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  // `index.md` is the name of many posts; then the folder's name counts as well.
  return printed.includes(/^(?:_?index)\./.test(name) ? path.split('/').slice(-2).join('/') : name);
}

/**
 * Lets articles in again one after another, until the build breaks: the last one is to blame, with what that build printed,
 * and is left out. Then it goes on with the others.
 *
 * Of these builds only those are run that `git bisect` would run: where n articles build well, so do fewer. The build that is
 * compared last is the one with the article and without those behind it, so that the reason is its own.
 *
 * @param waiting articles without which the build succeeds, and with which it fails.
 * @param reason why it fails with them.
 */
export async function letIn(
  waiting: readonly string[],
  reason: string,
  build: BuildWithout,
): Promise<ReadonlyMap<string, string>> {
  const breaking = new Map<string, string>();
  let rest = waiting;
  let failure: string | undefined = reason;
  while (failure !== undefined && rest.length > 0) {
    let good = 0;
    let bad = rest.length;
    while (bad - good > 1) {
      const middle = Math.ceil((good + bad) / 2);
      const why = await build(new Set([...breaking.keys(), ...rest.slice(middle)]));
      if (why === undefined) good = middle;
      else [bad, failure] = [middle, why];
    }
    const [path = ''] = rest.slice(good, bad);
    breaking.set(path, failure);
    rest = rest.filter((one) => one !== path);
    failure = rest.length === 0 ? undefined : await build(new Set(breaking.keys()));
  }
  return breaking;
}
