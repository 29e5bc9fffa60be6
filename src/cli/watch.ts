import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import { configuredPlugins } from '../config/config-file.js';
import { processEnvironment } from '../config/environment.js';
import { configFileOf } from '../config/load.js';
import { START_FILES } from '../config/settings-file.js';
import { messageOf } from '../errors.js';
import { paint } from './terminal.js';

/** How long changes are gathered, in milliseconds: an editor's write, rename and chmod count as one. */
const SETTLE_MS = 200;

/**
 * Runs `start` in a child process, and restarts it after each change of the site's plugins or its config: a loaded module
 * cannot be reloaded. Returns when this process is told to stop.
 */
export async function startAndWatch(dir: string): Promise<void> {
  const say = (text: string) => console.error(paint('yellow', text));
  let onChange = (_path: string): void => undefined;
  const watcher = await watchPlugins(dir, (path) => onChange(path));
  watcher.on('error', (error) => say(`not every change may be seen: ${messageOf(error)}`));
  let child: ChildProcess | undefined;
  const told = new Promise<undefined>((resolve) => {
    let isTold = false;
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
      process.on(signal, () => {
        if (isTold) child?.kill('SIGTERM'); // its second one, which ends it at once
        isTold = true;
        resolve(undefined);
      });
  });
  for (let path: string | undefined = ''; path !== undefined; ) {
    const changed = new Promise<string>((resolve) => {
      onChange = resolve;
    });
    child = startReceiver();
    let isStopping = false;
    const ended = once(child, 'exit').then(([code]) => {
      if (!isStopping) say(`the receiver ended with ${code ?? 'a signal'}; it starts again after a change`);
    });
    path = await Promise.race([changed, told]);
    isStopping = true;
    if (path !== undefined) say(`${path} has changed: the receiver starts again`);
    child.kill('SIGTERM');
    await ended;
  }
  await watcher.close();
}

function startReceiver() {
  const [node = process.execPath, program = '', ...words] = process.argv;
  const args = [...process.execArgv, program, ...words.filter((word) => word !== '--watch')];
  // Detached, as Ctrl-C is forwarded: a second signal would end the receiver at once.
  return spawn(node, args, { stdio: 'inherit', env: processEnvironment(), detached: true });
}

/**
 * Watches the plugins in a site's folder, the modules and data next to them, and the config.
 *
 * @param onChange called with the path of a changed file, below the site's folder.
 */
async function watchPlugins(dir: string, onChange: (path: string) => void): Promise<FSWatcher> {
  const configFile = configFileOf(dir);
  const configs = [
    ...START_FILES.map((name) => join(dir, name)),
    ...(configFile === undefined ? [] : [configFile]),
  ];
  const folders = [join(dir, 'plugins'), ...(await foldersInConfig(dir, configFile))];
  const isIn = (path: string) => folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
  const above = configs.map((path) => dirname(path));
  const watcher = watch([...new Set([...above, ...folders])], {
    ignoreInitial: true,
    ignored: (path) =>
      !above.includes(path) &&
      !configs.includes(path) &&
      (/^(?:\.|node_modules$)|~$/.test(basename(path)) || !isIn(path)),
  });
  let timer: NodeJS.Timeout | undefined;
  watcher.on('all', (_event, path) => {
    clearTimeout(timer);
    timer = setTimeout(() => onChange(relative(dir, path)), SETTLE_MS);
  });
  await once(watcher, 'ready');
  return watcher;
}

/** The folders of the plugins that the config names by path; empty if the config cannot be read, which the receiver reports. */
async function foldersInConfig(dir: string, configFile: string | undefined): Promise<string[]> {
  const plugins = await configuredPlugins(configFile).catch(() => []);
  return plugins
    .map((item) => (Array.isArray(item) ? item[0] : item))
    .filter((item): item is string => typeof item === 'string' && /^\.{0,2}[\\/]/.test(item))
    .map((path) => dirname(resolve(dir, path)))
    .filter((folder) => folder !== dir);
}
