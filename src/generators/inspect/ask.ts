import { mapOf, type ValueMap } from '../../article/plain-data.js';
import { PressmarkError, quote } from '../../errors.js';
import type { AskedSite, ListedPage } from '../generator.js';

/** Quotes a text as one word for a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w./:=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

const HEAD = `
import fs from 'node:fs';
const answer = (value) => {
  fs.writeSync(3, JSON.stringify(value));
  process.exit(0);
};
process.on('uncaughtException', (error) => {
  // Without the stack traces, which would hide the messages.
  const printed = new Set();
  for (let one = error; one && !printed.has(one); one = one.originalError ?? one.cause) {
    printed.add(one);
    console.error(...[String(one), one.loc].filter(Boolean));
  }
  process.exit(1);
});
`;

/**
 * Makes a command that runs JavaScript in a site's folder, with the site's own packages. Other output of the site goes to
 * standard error.
 *
 * @param script an ES module that prints with `answer(value)`, which also exits.
 * @param words the arguments of the script.
 */
export function nodeCommand(script: string, words: readonly string[] = []): string {
  const quoted = words.map((word) => (word === '' ? "''" : shellWord(word)));
  return `PATH="$PWD/node_modules/.bin:$PATH" node --input-type=module -e ${[shellWord(HEAD + script), '--', ...quoted].join(' ')} 3>&1 1>&2`;
}

/**
 * The JSON output of a generator's command; empty if the command fails, which `init` reports.
 *
 * @param shown the name of the command in reports of `init`.
 * @throws PressmarkError BUILD_FAILED if the output is not a JSON map.
 */
export async function answerTo(
  { ask }: Pick<AskedSite, 'ask'>,
  command: string,
  shown: string,
): Promise<ValueMap> {
  const printed = await ask(command, shown);
  return printed === undefined ? {} : jsonOf(printed, shown);
}

/** Parses a command's output as a JSON map. @throws PressmarkError BUILD_FAILED if it is not one. */
export function jsonOf(printed: string, shown: string): ValueMap {
  try {
    return mapOf(JSON.parse(printed));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw unreadableAnswer(shown, 'no JSON', printed);
  }
}

/** The error for an answer in an unknown format, as from an unknown version of the generator. */
export function unreadableAnswer(shown: string, what: string, printed: string): PressmarkError {
  return new PressmarkError(
    'BUILD_FAILED',
    `${shown} printed ${what}: ${quote(printed, 200)}; run it in the site’s folder to see why`,
  );
}

/** The pages in an answer. */
export function pagesOf({ pages }: ValueMap): readonly ListedPage[] {
  return (pages as readonly ListedPage[] | undefined) ?? [];
}

/** The pages in the output of a command. @throws PressmarkError BUILD_FAILED if it is not JSON. */
export function pagesIn(printed: string): readonly ListedPage[] {
  return pagesOf(jsonOf(printed, 'the command that lists the pages'));
}
