import { spawn } from 'node:child_process';
import net from 'node:net';
import { dirname } from 'node:path';
import { Transform } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { gitEnvironment } from '../support/clones.js';
import { freePort } from '../support/free-port.js';
import { until } from '../support/until.js';

/** A git server behind a slow connection. */
export interface SlowDaemon {
  /** The URL of the repository, by way of the slow connection. */
  readonly url: string;
  /** The bytes that have gone through the connection so far, in both directions. */
  bytes(): number;
  /** How often git has connected. */
  connections(): number;
  /** Changes how many bytes a second pass from now on. */
  setSpeed(bytesPerSecond: number): void;
  close(): void;
}

/** Serves a bare repository by `git daemon`, behind a proxy that lets so many bytes a second pass in each direction. */
export async function serveSlowly(repository: string, bytesPerSecond: number): Promise<SlowDaemon> {
  let speed = bytesPerSecond;
  const folder = dirname(repository);
  const [port, slowPort] = [await freePort(), await freePort()];
  const args = [
    'daemon',
    '--listen=127.0.0.1',
    `--port=${port}`,
    `--base-path=${folder}`,
    '--export-all',
    '--enable=receive-pack',
    '--reuseaddr',
    folder,
  ];
  // a group of its own: the daemon has a child for each connection
  const daemon = spawn('git', args, { env: gitEnvironment(folder), stdio: 'ignore', detached: true });
  let bytes = 0;
  let connections = 0;
  const slow = () =>
    new Transform({
      highWaterMark: 16_384,
      transform(chunk: Buffer, _encoding, done) {
        bytes += chunk.length;
        void setTimeout((chunk.length / speed) * 1_000).then(() => done(null, chunk));
      },
    });
  const proxy = net.createServer({ allowHalfOpen: true }, (client) => {
    connections++;
    const server = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    for (const end of [client, server]) end.on('error', () => [client, server].map((one) => one.destroy()));
    client.pipe(slow()).pipe(server);
    server.pipe(slow()).pipe(client);
    client.on('close', () => server.destroy());
    server.on('close', () => client.end());
  });
  await new Promise<void>((resolve) => proxy.listen(slowPort, '127.0.0.1', resolve));
  await until('git daemon listens', () => canConnect(port));
  return {
    url: `git://127.0.0.1:${slowPort}${repository.slice(folder.length)}`,
    bytes: () => bytes,
    connections: () => connections,
    setSpeed: (next) => {
      speed = next;
    },
    close: () => {
      proxy.close();
      if (daemon.pid !== undefined) process.kill(-daemon.pid, 'SIGKILL');
    },
  };
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
