const MOST_KNOWN = 100_000;

/** A function of a text that remembers its results: the tags of a site come again with every article. */
export function memoized(resultOf: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    let result = known.get(text);
    if (result === undefined) {
      result = resultOf(text);
      if (known.size === MOST_KNOWN) known.clear();
      known.set(text, result);
    }
    return result;
  };
}
