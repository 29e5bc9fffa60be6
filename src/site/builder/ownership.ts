import fs from 'node:fs';
import { join } from 'node:path';
import { PressmarkError } from '../../errors.js';
import { filesBelow } from '../../fs/files-below.js';
import { hasBuilt } from './state.js';

/**
 * What tells a file of ours where the state folder has been lost, exactly as our own texts have it. A heading
 * `# Pressmark` is none of them.
 */
const MARKS: readonly RegExp[] = [
  /<meta name="generator" content="Pressmark">/,
  /<generator>Pressmark<\/generator>/,
  /"_pressmark": \{\s*"about": "the generator of this feed"/,
  /^(?:<\?xml [^>]*\?>|<svg [^>]*>)<!-- Pressmark -->/,
  /\/\* Pressmark: the accent colour of the config \*\//,
  /^# Pressmark\n/,
];

/** Larger files are no texts of ours. */
const LARGEST = 16 * 1024 * 1024;

/** The files of an output folder that bear the mark of those that Pressmark makes. */
export function filesOfPressmark(outputDir: string): string[] {
  return filesBelow(outputDir).filter((file) => isFileOfPressmark(join(outputDir, file)));
}

/**
 * Refuses an output folder that another program has written: the output folder is Pressmark's own.
 *
 * @param name the folder as the config has it.
 * @throws PressmarkError CONFIG_INVALID
 */
export function refuseForeignOutput(
  { outputDir, stateDir }: { readonly outputDir: string; readonly stateDir: string },
  name: string,
): void {
  if (hasBuilt(stateDir)) return;
  const files = filesBelow(outputDir).filter((file) => !file.startsWith('.'));
  if (files.length === 0 || files.some((file) => isFileOfPressmark(join(outputDir, file)))) return;
  const [example = ''] = files;
  throw new PressmarkError(
    'CONFIG_INVALID',
    `${name}/ holds files that Pressmark did not write, such as ${example}; move them to static/ or set another output`,
  );
}

function isFileOfPressmark(path: string): boolean {
  return fs.statSync(path).size <= LARGEST && isOfPressmark(fs.readFileSync(path, 'latin1'));
}

/** Whether a text bears the mark of those that Pressmark makes. */
export function isOfPressmark(text: string): boolean {
  return MARKS.some((mark) => mark.test(text));
}
