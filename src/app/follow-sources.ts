import { lstatSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { watch } from 'chokidar';
import type { Settings } from '../config/load.js';
import { START_FILES } from '../config/settings-file.js';
import { messageOf } from '../errors.js';
import { isFileAt } from '../fs/file-at.js';
import type { Log } from '../log.js';
import { themeFolder } from './builder/theme.js';
import { foldersOf } from './content/folders.js';

/** Changes are gathered this long, so that an editor's write-rename-chmod is one. */
const SETTLE_MS = 100;

/**
 * Watches what a person writes besides articles: templates, static files, pages, and texts on tags and authors. A change
 * of the config is logged: it takes effect at the next start, but for the signing secret.
 *
 * @param further files and folders that plugins' pages depend on.
 * @param onChange called with the paths below the content folder that have changed, or `all` after any other change.
 * @returns what ends the watching.
 */
export function followSources(
  settings: Settings,
  onChange: (work: readonly string[] | 'all') => void,
  log: Log,
  further: readonly string[] = [],
): () => Promise<void> {
  const { dir } = settings;
  const { templatesDir, staticDir, contentDir } = foldersOf(settings);
  const theme = themeFolder(settings);
  const ofOwner = ['pages', 'tags', 'authors'].map((name) => join(contentDir, name));
  const folders = [templatesDir, staticDir, ...ofOwner, ...(theme === undefined ? [] : [theme]), ...further];
  const configs = START_FILES.map((name) => join(dir, name));
  // With the folders above them: one such as content/tags may come into being later.
  const watched = [...new Set([dir, ...folders, ...folders.map((folder) => dirname(folder))])];
  const isIn = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);
  const isSource = (path: string) => folders.some((folder) => isIn(path, folder));
  const watcher = watch(watched, {
    ignoreInitial: true,
    // Files that editors keep next to a file; and all else in a folder that holds more than sources.
    ignored: (path) =>
      /[\\/](?:\.(?!env$)|node_modules)/.test(path.slice(dir.length)) ||
      !(watched.includes(path) || configs.includes(path) || (isSource(path) && !isLinkToFolder(path))),
  });
  let texts = new Set<string>();
  let isAll = false;
  let isConfig = false;
  let timer: NodeJS.Timeout | undefined;

  watcher.on('all', (_event, path) => {
    if (configs.includes(path)) isConfig = true;
    else if (ofOwner.some((folder) => isIn(path, folder)))
      texts.add(relative(contentDir, path).replaceAll('\\', '/'));
    else if (isSource(path)) isAll = true;
    else return;
    clearTimeout(timer);
    timer = setTimeout(report, SETTLE_MS);
  });
  watcher.on('error', (error) =>
    log.warn({ reason: messageOf(error) }, 'templates and config are not watched; restart after a change'),
  );

  function report(): void {
    if (isConfig)
      log.warn(
        'the config or .env has changed, which takes effect at the next start; a new signing secret counts at once',
      );
    if (isAll) onChange('all');
    else if (texts.size > 0) onChange([...texts]);
    texts = new Set();
    [isAll, isConfig] = [false, false];
  }

  return () => {
    clearTimeout(timer);
    return watcher.close();
  };
}

/** Files below a linked folder are not read: the link may lead to a folder that contains it, or to a very large one. */
function isLinkToFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true && !isFileAt(path);
}
