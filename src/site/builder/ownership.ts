import fs from 'node:fs';
import { join } from 'node:path';
import { PressmarkError } from '../../errors.js';
import { filesBelow } from '../../fs/files-below.js';
import { hasBuilt } from './state.js';

/** The output folder of a site, its state folder, and the folders of the owner's files that its pages are made from. */
type OutputFolders = Readonly<Record<'outputDir' | 'stateDir' | 'staticDir', string>> & {
  readonly templatesDir: string | undefined;
};

/** The mark of Pressmark's pages, to recognise them if the state folder was lost. */
const MARK = /<meta name="generator" content="Pressmark">/;

/** Lists the pages in an output folder that have Pressmark's mark. */
export function pagesOfPressmark(outputDir: string): string[] {
  return filesBelow(outputDir).filter((file) => isPageOfPressmark(outputDir, file));
}

/**
 * Refuses an output folder with files of another program, or in the owner's files, as the output folder is Pressmark's own.
 *
 * @param name the folder's name in the config.
 * @throws PressmarkError CONFIG_INVALID
 */
export function refuseForeignOutput(
  { outputDir, stateDir, staticDir, templatesDir }: OutputFolders,
  name: string,
): void {
  if (
    [staticDir, templatesDir].some(
      (folder) => folder !== undefined && `${outputDir}/`.startsWith(`${folder}/`),
    )
  )
    throw new PressmarkError(
      'CONFIG_INVALID',
      `output is ${name}, a folder of your own files; set another output`,
    );
  if (hasBuilt(stateDir, outputDir)) return;
  const files = filesBelow(outputDir).filter((file) => !file.startsWith('.'));
  if (files.length === 0 || files.some((file) => isPageOfPressmark(outputDir, file))) return;
  const [example = ''] = files;
  throw new PressmarkError(
    'CONFIG_INVALID',
    `${name}/ contains files that Pressmark did not write, such as ${example}; move them to static/ or set another output`,
  );
}

function isPageOfPressmark(outputDir: string, file: string): boolean {
  return file.endsWith('.html') && isOfPressmark(fs.readFileSync(join(outputDir, file), 'utf8'));
}

/** Whether a page has Pressmark's mark. */
export function isOfPressmark(html: string): boolean {
  return MARK.test(html);
}
