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

/** Changes are gathered this long, so that an editor's write-rename-chmod is one. */
const SETTLE_MS = 200;

/**
 * Runs `start` as a process of its own, and again after each change of the site's plugins or its config: a module that was
 * loaded cannot be loaded anew. Returns when this process is told to stop.
 */
export async function startAndWatch(dir: string): Promise<void> {
  const [node, program = '', ...words] = process.argv;
  let child: ChildProcess | undefined;
  let isStopping = false;
  let restarting: Promise<void> | undefined;
  const say = (text: string) => console.error(paint('yellow', text));

  function start(): void {
    const started = spawn(
      node ?? process.execPath,
      [...process.execArgv, program, ...words.filter((word) => word !== '--watch')],
      {
        stdio: 'inherit',
        env: processEnvironment(),
        detached: true, // Ctrl-C is handed on below: a second signal would end the receiver at once
      },
    );
    child = started;
    started.once('exit', (code) => {
      if (child !== started) return;
      child = undefined;
      if (!isStopping && restarting === undefined)
        say(`the receiver ended with ${code ?? 'a signal'}; it starts again after a change`);
    });
  }

  async function stop(): Promise<void> {
    const running = child;
    if (running === undefined) return;
    const ended = once(running, 'exit');
    running.kill('SIGTERM');
    await ended;
  }

  async function restart(path: string): Promise<void> {
    say(`${path} has changed: the receiver starts again`);
    await stop();
    if (!isStopping) start();
  }

  const onChange = (path: string) => {
    restarting ??= restart(path).finally(() => {
      restarting = undefined;
    });
  };
  const watcher = await watchPlugins(dir, onChange);
  watcher.on('error', (error) => say(`not every change may be seen: ${messageOf(error)}`));
  start();
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
      process.on(signal, () => {
        isStopping = true;
        resolve();
      });
  });
  await restarting;
  await Promise.all([stop(), watcher.close()]);
}

/**
 * Watches the plugins in a site's folder, the modules and data next to them, and the config.
 *
 * @param onChange called with the path of a changed file, below the site's folder.
 */
async function watchPlugins(dir: string, onChange: (path: string) => void): Promise<FSWatcher> {
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
  await once(watcher, 'ready');
  return watcher;
}

/** The folders of the plugins that the config names by their paths; none if it cannot be read: the receiver says so. */
async function foldersInConfig(dir: string): Promise<string[]> {
  const plugins = await configuredPlugins(configFileOf(dir)).catch(() => []);
  return plugins
    .map((item) => (Array.isArray(item) ? item[0] : item))
    .filter((item): item is string => typeof item === 'string' && /^\.{0,2}[\\/]/.test(item))
    .map((path) => dirname(resolve(dir, path)))
    .filter((folder) => folder !== dir);
}
