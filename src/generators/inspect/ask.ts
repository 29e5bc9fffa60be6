/** A text as one word of a POSIX shell's command line. */
export function shellWord(text: string): string {
  return /^[\w./:=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

const HEAD = `
import fs from 'node:fs';
const answer = (value) => {
  fs.writeSync(3, JSON.stringify(value));
  process.exit(0);
};
`;

/**
 * A command that runs JavaScript in a site's folder, with the site's own packages. What the site prints meanwhile goes to
 * standard error.
 *
 * @param script an ES module that prints by `answer(value)`, which ends it.
 * @param words the script's arguments.
 */
export function nodeCommand(script: string, words: readonly string[] = []): string {
  const quoted = words.map((word) => (word === '' ? "''" : shellWord(word)));
  return `PATH="$PWD/node_modules/.bin:$PATH" node --input-type=module -e ${[shellWord(HEAD + script), '--', ...quoted].join(' ')} 3>&1 1>&2`;
}
