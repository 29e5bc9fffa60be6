/** A text as one word of a POSIX shell's command line. */
export function shellWord(text: string): string {
  return /^[\w./:=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** What the site prints while it is asked goes to standard error. */
const HEAD = `
import fs from 'node:fs';
console.log = console.info = console.debug = console.error;
const answer = (value) => {
  fs.writeSync(1, JSON.stringify(value));
  process.exit(0);
};
`;

/**
 * A command that runs JavaScript in a site's folder, with the site's own packages.
 *
 * @param script an ES module that prints by `answer(value)`, which ends it.
 * @param words the script's arguments.
 */
export function nodeCommand(script: string, words: readonly string[] = []): string {
  const quoted = words.map((word) => (word === '' ? "''" : shellWord(word)));
  return `PATH="$PWD/node_modules/.bin:$PATH" node --input-type=module -e ${[shellWord(HEAD + script), '--', ...quoted].join(' ')}`;
}
