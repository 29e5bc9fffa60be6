import { once } from 'node:events';
import fs from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { watch } from 'chokidar';
import { CONFIG_NAMES, configuredPlugins } from '../../config/config-file.js';
import { START_FILES } from '../../config/settings-file.js';

/** Changes are gathered this long, so that an editor's write-rename-chmod is one. */
const SETTLE_MS = 200;

/**
 * Watches the plugins in a site's folder, the modules and data next to them, and the config.
 *
 * @param onChange called with the path of a changed file, below the site's folder.
 * @param onError called if a file or folder cannot be watched, as where the system's limit is reached.
 */
export async function watchPlugins(
  dir: string,
  onChange: (path: string) => void,
  onError: (error: unknown) => void,
): Promise<{ close(): Promise<void> }> {
  const configs = START_FILES.map((name) => join(dir, name));
  const folders = [join(dir, 'plugins'), ...(await foldersInConfig(dir))];
  const isIn = (path: string) => folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
  const watcher = watch([...new Set([dir, ...folders])], {
    ignoreInitial: true,
    ignored: (path) =>
      path !== dir &&
      (/^(?:\.(?!env$)|node_modules$)|~$/.test(basename(path)) || !(configs.includes(path) || isIn(path))),
  });
  let timer: NodeJS.Timeout | undefined;
  watcher.on('all', (_event, path) => {
    clearTimeout(timer);
    timer = setTimeout(() => onChange(relative(dir, path)), SETTLE_MS);
  });
  watcher.on('error', onError);
  await once(watcher, 'ready');
  return {
    close: () => {
      clearTimeout(timer);
      return watcher.close();
    },
  };
}

/** The folders of the plugins that the config names by their paths; none where it cannot be read: the receiver says so. */
async function foldersInConfig(dir: string): Promise<string[]> {
  const file = CONFIG_NAMES.map((name) => join(dir, name)).find((path) => fs.existsSync(path));
  const plugins = await configuredPlugins(file).catch(() => []);
  return plugins
    .map((item) => (Array.isArray(item) ? item[0] : item))
    .filter((item): item is string => typeof item === 'string' && /^\.{0,2}[\\/]/.test(item))
    .map((path) => join(resolve(dir, path), '..'))
    .filter((folder) => folder !== dir);
}
