import { lstatSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { watch } from 'chokidar';
import type { Settings } from '../config/load.js';
import { START_FILES } from '../config/settings-file.js';
import { messageOf } from '../errors.js';
import { isFileAt } from '../fs/files-below.js';
import type { Log } from '../log.js';
import { themeFolder } from './builder/theme.js';
import { foldersOf } from './content/folders.js';

/** How long changes are collected, in milliseconds, so that an editor's write, rename and chmod count as one. */
const SETTLE_MS = 100;

/**
 * Watches what people write besides articles: templates, static files, pages, and texts about tags and authors. A change of the
 * config is logged, as it takes effect at the next start; only the signing secret applies at once.
 *
 * @param further further files and folders that pages depend on, from plugins.
 * @param onChange called with the changed paths below the content folder, or `all` for any other change.
 * @returns a function that stops watching.
 */
export function followSources(
  settings: Settings,
  onChange: (work: readonly string[] | 'all') => void,
  log: Log,
  further: readonly string[] = [],
): () => Promise<void> {
  const { dir, configFile } = settings;
  const { templatesDir, staticDir, contentDir } = foldersOf(settings);
  const theme = themeFolder(settings);
  const ofOwner = ['pages', 'tags', 'authors'].map((name) => join(contentDir, name));
  const folders = [templatesDir, staticDir, ...ofOwner, ...(theme === undefined ? [] : [theme]), ...further];
  const configs = [
    ...START_FILES.map((name) => join(dir, name)),
    ...(configFile === undefined ? [] : [configFile]),
  ];
  const ofConfigs = configs.map((path) => dirname(path));
  // With their parent folders, as a folder such as content/tags may be created later.
  const watched = [...new Set([...ofConfigs, ...folders, ...folders.map((path) => dirname(path))])];
  const isIn = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);
  const isSource = (path: string) => folders.some((folder) => isIn(path, folder));
  const watcher = watch(watched, {
    ignoreInitial: true,
    // Editors' backup files, and everything but sources in a folder that holds more.
    ignored: (path) =>
      !configs.includes(path) &&
      !ofConfigs.includes(path) &&
      (/[\\/](?:\.|node_modules)/.test(path.slice(dir.length)) ||
        !(watched.includes(path) || (isSource(path) && !isLinkToFolder(path)))),
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

/** A linked folder is not read: the link may lead to a parent folder, or to a very large one. */
function isLinkToFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true && !isFileAt(path);
}
