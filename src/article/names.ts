/** Blanks, control characters, and characters that are invisible at an end of a text: joiners, marks of direction, fillers. */
const UNSEEN =
  /[\u034f\s\p{Cc}\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200c\u200e\u200f\u2028\u2029\u2060-\u2064\u206a-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb]/u;

/** The beginnings and ends of a direction within a text. They are removed at the ends only if no half of a pair remains. */
const DIRECTION = /[\u202a-\u202e\u2066-\u2069]/;

/**
 * Normalises a title, or a name of an author or a tag, to NFC, without blanks and invisible characters at its ends. A variation
 * selector and a joiner of emoji belong to the character before them.
 */
export function trimmedName(text: string): string {
  const whole = text.normalize('NFC');
  const short = between(whole, (letter) => UNSEEN.test(letter) || DIRECTION.test(letter));
  return DIRECTION.test(short) ? between(whole, (letter) => UNSEEN.test(letter)) : short;
}

/** Removes characters at both ends. A pattern that ends in `+$` would scan long runs repeatedly. */
function between(text: string, isLeftOut: (letter: string) => boolean): string {
  let start = 0;
  let end = text.length;
  while (start < end && isLeftOut(text.charAt(start))) start++;
  while (end > start && isLeftOut(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

/** A name that needs no change, as most do. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/;

/** A normalised name of an author or a tag, with each run of blanks as one space. */
export function termName(text: string): string {
  if (PLAIN.test(text)) return text;
  return trimmedName(text).replace(/\s+/g, ' ');
}

/** The form that all spellings of a name share; they differ in case, blanks and Unicode form. */
export function termKey(name: string): string {
  return termName(name).toLowerCase();
}

/**
 * The signs that distinguish two names although generators make the same slug of them: `C`, `C++` and `C#` are three names,
 * `HTML+CSS` and `HTML CSS` are one.
 */
export function signsOf(name: string): string {
  return (name.match(/(?<=[\p{L}\p{N}])[+#*]+(?![\p{L}+#*])/gu) ?? []).join(' ');
}

/** Normalised names of tags, without duplicate spellings and empty ones. */
export function termNames(texts: readonly string[]): string[] {
  const names = new Map<string, string>();
  for (const text of texts) {
    const name = termName(text);
    const key = name.toLowerCase();
    if (name !== '' && !names.has(key)) names.set(key, name);
  }
  return [...names.values()];
}

/** Cuts a text to a number of characters, never within a surrogate pair. */
export function shortened(text: string, longest = Number.POSITIVE_INFINITY): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** The number of results that `memoized` remembers. */
const MOST_KNOWN = 100_000;

/** Makes a function of a text remember its results: the tags of a site recur with every article. */
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
