import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { watchPlugins } from '../app/plugins/watch-plugins.js';
import { processEnvironment } from '../config/load.js';
import { messageOf } from '../errors.js';
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
    const next = await follow(); // the config may name other plugins now
    await Promise.all([stop(), watcher.close()]);
    watcher = next;
    if (!isStopping) start();
  }

  const onChange = (path: string) => {
    restarting ??= restart(path)
      .catch((error) => say(`the receiver goes on as it was: ${messageOf(error)}`))
      .finally(() => {
        restarting = undefined;
      });
  };
  const follow = () =>
    watchPlugins(dir, onChange, (error) => say(`not every change may be seen: ${messageOf(error)}`));
  let watcher = await follow();
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
