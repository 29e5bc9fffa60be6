import fs from 'node:fs';
import { join } from 'node:path';
import { PressmarkError } from '../../errors.js';
import { filesBelow } from '../../fs/files-below.js';
import { hasBuilt } from './state.js';

/** What tells a page of ours where the state folder has been lost. */
const PAGE = /<meta name="generator" content="Pressmark">/;

/** What tells our files, by their names. What has no mark, such as `feed.json`, is planned anew at its own name. */
const MARKS: readonly (readonly [name: RegExp, mark: RegExp])[] = [
  [/\.html$/, PAGE],
  [/^(?:feed|rss)\.xml$/, /<generator>Pressmark<\/generator>/],
  [/^sitemap(?:-\d+)?\.xml$/, /^<\?xml [^>]*\?><!-- Pressmark -->/],
  [/^assets\/style\.[0-9a-f]{8}\.css$/, /\/\* Pressmark: the accent colour of the config \*\//],
  [/^(?:_headers|_redirects|robots\.txt)$/, /^# Pressmark\n/],
];

/** The files in an output folder that bear the mark of those that Pressmark makes. */
export function filesOfPressmark(outputDir: string): string[] {
  return filesBelow(outputDir).filter((file) => isFileOfPressmark(outputDir, file));
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
  if (files.length === 0 || files.some((file) => isFileOfPressmark(outputDir, file))) return;
  const [example = ''] = files;
  throw new PressmarkError(
    'CONFIG_INVALID',
    `${name}/ holds files that Pressmark did not write, such as ${example}; move them to static/ or set another output`,
  );
}

function isFileOfPressmark(outputDir: string, file: string): boolean {
  const found = MARKS.find(([name]) => name.test(file));
  return found?.[1].test(fs.readFileSync(join(outputDir, file), 'utf8')) ?? false;
}

/** Whether a page bears the mark of those that Pressmark makes. */
export function isOfPressmark(html: string): boolean {
  return PAGE.test(html);
}
