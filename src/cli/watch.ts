import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { watchPlugins } from '../app/plugins/watch-plugins.js';
import { processEnvironment } from '../config/load.js';
import { paint } from './terminal.js';

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
      [program, ...words.filter((word) => word !== '--watch')],
      {
        stdio: 'inherit',
        env: processEnvironment(),
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
    await Promise.all([stop(), watcher.close()]);
    if (!isStopping) {
      watcher = await follow(); // the config may name other plugins now
      start();
    }
    restarting = undefined;
  }

  const follow = () =>
    watchPlugins(dir, (path) => {
      restarting ??= restart(path);
    });
  let watcher = await follow();
  start();
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      process.on(signal, () => {
        isStopping = true;
        resolve();
      });
  });
  await restarting;
  await Promise.all([stop(), watcher.close()]);
}
