import { mapOf, type ValueMap } from '../../article/plain-data.js';
import { PressmarkError, quote } from '../../errors.js';
import type { AskedSite, ListedPage } from '../generator.js';

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

/**
 * What a command of the generator answers in JSON; empty if the command fails, which `init` reports.
 *
 * @param shown how `init` reports the command.
 * @throws PressmarkError BUILD_FAILED if it prints something else.
 */
export async function answerTo(
  { ask }: Pick<AskedSite, 'ask'>,
  command: string,
  shown: string,
): Promise<ValueMap> {
  const printed = await ask(command, shown);
  return printed === undefined ? {} : jsonOf(printed, shown);
}

/** The map that a command has printed as JSON. @throws PressmarkError BUILD_FAILED if it is none. */
export function jsonOf(printed: string, shown: string): ValueMap {
  try {
    return mapOf(JSON.parse(printed));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw unreadableAnswer(shown, 'no JSON', printed);
  }
}

/** An answer in another form than the generator's versions that are known give. */
export function unreadableAnswer(shown: string, what: string, printed: string): PressmarkError {
  return new PressmarkError(
    'BUILD_FAILED',
    `${shown} has printed ${what}: ${quote(printed, 200)}; run it in the site's folder to see why`,
  );
}

/** The pages in an answer. */
export function pagesOf({ pages }: ValueMap): readonly ListedPage[] {
  return (pages as readonly ListedPage[] | undefined) ?? [];
}

/** The pages in what a command has printed. @throws PressmarkError BUILD_FAILED if it is no JSON. */
export function pagesIn(printed: string): readonly ListedPage[] {
  return pagesOf(jsonOf(printed, 'the command that lists the pages'));
}
