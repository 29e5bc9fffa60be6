import fs from 'node:fs';
import { join } from 'node:path';
import { PressmarkError } from '../../errors.js';
import { filesBelow } from '../../fs/files-below.js';
import { hasBuilt } from './state.js';

/** What tells a page of ours where the state folder has been lost. */
const MARK = /<meta name="generator" content="Pressmark">/;

/** The pages in an output folder that bear the mark of those that Pressmark makes. */
export function pagesOfPressmark(outputDir: string): string[] {
  return filesBelow(outputDir).filter((file) => isPageOfPressmark(outputDir, file));
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
  if (files.length === 0 || files.some((file) => isPageOfPressmark(outputDir, file))) return;
  const [example = ''] = files;
  throw new PressmarkError(
    'CONFIG_INVALID',
    `${name}/ holds files that Pressmark did not write, such as ${example}; move them to static/ or set another output`,
  );
}

function isPageOfPressmark(outputDir: string, file: string): boolean {
  return file.endsWith('.html') && isOfPressmark(fs.readFileSync(join(outputDir, file), 'utf8'));
}

/** Whether a page bears the mark of those that Pressmark makes. */
export function isOfPressmark(html: string): boolean {
  return MARK.test(html);
}
