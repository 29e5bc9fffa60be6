/** Blanks, control characters, and what is never seen at an end of a text: joiners, marks of direction, fillers. */
const UNSEEN =
  /[\u034f\s\p{Cc}\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200c\u200e\u200f\u2028\u2029\u2060-\u2064\u206a-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb]/u;

/** The beginnings and ends of a direction within a text. They go at the ends only where no half of a pair stays. */
const DIRECTION = /[\u202a-\u202e\u2066-\u2069]/;

/**
 * A title, a name of an author or a tag, in NFC, without blanks and invisible characters at its ends. A variation selector
 * and a joiner of emoji are part of what is seen before them.
 */
export function trimmedName(text: string): string {
  const whole = text.normalize('NFC');
  const short = between(whole, (letter) => UNSEEN.test(letter) || DIRECTION.test(letter));
  return DIRECTION.test(short) ? between(whole, (letter) => UNSEEN.test(letter)) : short;
}

/** What is left without the characters at the ends. A pattern that ends in `+$` would look at long runs again and again. */
function between(text: string, isLeftOut: (letter: string) => boolean): string {
  let start = 0;
  let end = text.length;
  while (start < end && isLeftOut(text.charAt(start))) start++;
  while (end > start && isLeftOut(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

/** A name in which nothing has to change, as in nearly all. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/;

/** A name of an author or a tag: trimmed, with one space for each run of blanks. */
export function termName(text: string): string {
  if (PLAIN.test(text)) return text;
  return trimmedName(text).replace(/\s+/g, ' ');
}

/** What all spellings of a name have in common: they differ in case, blanks and the form of Unicode. */
export function termKey(name: string): string {
  return termName(name).toLowerCase();
}

/**
 * The signs by which two names are not spellings of one, although generators make one slug of them: `C`, `C++` and `C#` are
 * three names, `HTML+CSS` and `HTML CSS` are one.
 */
export function signsOf(name: string): string {
  return (name.match(/(?<=[\p{L}\p{N}])[+#*]+(?![\p{L}+#*])/gu) ?? []).join(' ');
}

/** Names of tags, each once whatever its spelling, without empty ones. */
export function termNames(texts: readonly string[]): string[] {
  const names = new Map<string, string>();
  for (const text of texts) {
    const name = termName(text);
    const key = name.toLowerCase();
    if (name !== '' && !names.has(key)) names.set(key, name);
  }
  return [...names.values()];
}

/** A text cut to a number of characters, never within a surrogate pair. */
export function shortened(text: string, longest = Number.POSITIVE_INFINITY): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** How many results `memoized` remembers. */
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
