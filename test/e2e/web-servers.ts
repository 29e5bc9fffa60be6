import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ask } from '../support/ask.js';
import { bareEnvironment } from '../support/receiver.js';
import type { Teardown } from '../support/teardown.js';
import { tempDir } from '../support/temp-dir.js';
import { until } from '../support/until.js';

/** @returns a function that returns the code block of a page of `docs/` that begins with a text. */
export function blocksOf(name: string): (beginning: string) => string {
  const page = fs.readFileSync(fileURLToPath(new URL(`../../../docs/${name}`, import.meta.url)), 'utf8');
  const blocks = [...page.matchAll(/^```\w+\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
  return (beginning) => {
    const block = blocks.find((code) => code.startsWith(beginning));
    if (block === undefined) throw new Error(`docs/${name} has no block that begins with ${beginning}`);
    return block;
  };
}

/** Runs a web server until the test ends, and waits until it answers. */
export async function serve(
  t: Teardown,
  command: string,
  args: readonly string[],
  origin: string,
): Promise<void> {
  const home = tempDir(t);
  const env = { ...bareEnvironment(), HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home };
  const child: ChildProcess = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'], env });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  t.teardown(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  await until('the web server answers', async () => {
    if (child.exitCode !== null) throw new Error(`${command} ended: ${said}`);
    return ask(origin, '/').then(
      () => true,
      () => false,
    );
  });
}

/** @param http what a file in `/etc/nginx/conf.d/` holds. */
export function nginxConfig(dir: string, http: string): string {
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${dir}/${name};`,
  );
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  return `daemon off; pid ${dir}/pid; error_log stderr; worker_processes 1; ${user}
    events {}
    http { include /etc/nginx/mime.types; access_log off; ${temp.join(' ')}\n${http}\n}`;
}
