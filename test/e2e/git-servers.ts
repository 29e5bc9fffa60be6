import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { ask } from '../support/ask.js';
import { freePort } from '../support/free-port.js';
import { until } from '../support/until.js';

/** A program that serves git repositories. */
export interface GitServer {
  /** Where `remote.git` is found. */
  readonly url: string;
  stop(): Promise<void>;
  start(): Promise<void>;
}

/**
 * Serves the repositories below `folder` over HTTP: `git http-backend` behind nginx and fcgiwrap.
 *
 * @param address where it listens.
 */
export async function serveHttp(folder: string, address = '127.0.0.1'): Promise<GitServer> {
  const port = await freePort();
  const run = join(folder, 'nginx');
  fs.mkdirSync(run);
  const socket = join(run, 'fcgi.sock');
  const config = join(run, 'nginx.conf');
  fs.writeFileSync(config, nginxConfig(folder, run, address, port, socket));
  const programs: ChildProcess[] = [];
  // for everybody but root, git refuses repositories of other users
  const env = { ...process.env, HOME: folder };

  async function start(): Promise<void> {
    fs.rmSync(socket, { force: true });
    const options = { env, stdio: 'ignore' as const, detached: true };
    programs.push(spawn('fcgiwrap', ['-c', '6', '-s', `unix:${socket}`], options));
    await until('fcgiwrap listens', () => fs.existsSync(socket));
    programs.push(spawn('nginx', ['-p', run, '-c', config], options));
    const origin = `http://${address}:${port}`;
    const answer = () => ask(origin, '/remote.git/info/refs').catch(() => undefined);
    await until('nginx and fcgiwrap answer', async () => ((await answer())?.status ?? 500) < 500);
  }

  await start();
  return { url: `http://${address}:${port}/remote.git`, start, stop: () => stopAll(programs) };
}

function nginxConfig(folder: string, run: string, address: string, port: number, socket: string): string {
  const backend = join(execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim(), 'git-http-backend');
  return `
daemon off;
pid ${run}/nginx.pid;
error_log ${run}/error.log;
worker_processes 1;
user root;
events { worker_connections 256; }
http {
  access_log off;
  client_body_temp_path ${run}/body;
  fastcgi_temp_path ${run}/fastcgi;
  proxy_temp_path ${run}/proxy;
  uwsgi_temp_path ${run}/uwsgi;
  scgi_temp_path ${run}/scgi;
  server {
    listen ${address}:${port};
    client_max_body_size 100m;
    location / {
      include /etc/nginx/fastcgi_params;
      fastcgi_pass unix:${socket};
      fastcgi_param SCRIPT_FILENAME ${backend};
      fastcgi_param GIT_PROJECT_ROOT ${folder};
      fastcgi_param GIT_HTTP_EXPORT_ALL "";
      fastcgi_param PATH_INFO $uri;
      fastcgi_param HOME ${folder};
    }
  }
}
`;
}

/** Serves the repositories below `folder` over the git protocol. */
export async function serveGit(folder: string, address = '127.0.0.1'): Promise<GitServer> {
  const port = await freePort();
  const programs: ChildProcess[] = [];

  async function start(): Promise<void> {
    const args = ['daemon', '--enable=receive-pack', '--export-all', '--reuseaddr', `--base-path=${folder}`];
    const listen = [`--listen=${address}`, `--port=${port}`];
    programs.push(
      spawn('git', [...args, ...listen], {
        env: { ...process.env, HOME: folder },
        stdio: 'ignore',
        detached: true,
      }),
    );
    await until('the git daemon listens', () => isListening(address, port));
  }

  await start();
  return { url: `git://${address}:${port}/remote.git`, start, stop: () => stopAll(programs) };
}

/** Ends programs and all that they have started, in the middle of whatever they do. */
async function stopAll(programs: ChildProcess[]): Promise<void> {
  for (const program of programs.splice(0).reverse()) {
    if (program.pid === undefined || program.exitCode !== null || program.signalCode !== null) continue;
    const ended = once(program, 'exit');
    process.kill(-program.pid, 'SIGKILL');
    await ended;
  }
}

function isListening(address: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, address);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
