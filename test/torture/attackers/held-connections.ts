/**
 * Clients without a secret that hold connections. Each attack goes on until the signal is aborted: what the receiver
 * closes is opened again. They resolve with what they did.
 */
import { once, setMaxListeners } from 'node:events';
import net, { type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Counts } from '../scenario.js';

/** What is attacked. */
export interface Target {
  readonly port: number;
  /** What is read, such as `/feed.json`; of attacks on the webhook, its path. */
  readonly path: string;
}

/** An attack on a receiver of this machine. */
export type Attacker = (target: Target, signal: AbortSignal) => Promise<Counts>;

/** As many as a receiver keeps open. */
const CONNECTIONS = 1_000;
/**
 * A connection that was closed is opened again after half of this time to one and a half: at once, or all in the same
 * moment, would be an attack on the processor, which needs no held connections.
 */
const AGAIN_MS = 15_000;
/** The slow ones send or read a little in each of these intervals. */
const STEP_MS = 1_000;

/** Twenty connections, each with packets of 2,000 requests, of whose answers nothing is read. */
export const pipelinedReads: Attacker = ({ port, path }, signal) => {
  const packet = `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(2_000);
  const use = async (socket: Socket) => {
    socket.pause();
    socket.write(packet);
    await closed(socket, signal);
  };
  return hold(port, signal, 20, use, 500);
};

/** A large file is asked for, and a little of it read now and then. */
export const slowReaders: Attacker = ({ port, path }, signal) =>
  hold(port, signal, CONNECTIONS, async (socket) => {
    socket.pause();
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    while (await isOpenAfterAWhile(socket, signal)) socket.read(100);
  });

/** Headers that come byte by byte. */
export const slowHeaders: Attacker = ({ port, path }, signal) =>
  hold(port, signal, CONNECTIONS, async (socket) => {
    socket.resume();
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-Slow: `);
    while (await isOpenAfterAWhile(socket, signal)) socket.write('x');
  });

/** Bodies that come byte by byte. */
export const slowBodies: Attacker = ({ port, path }, signal) =>
  hold(port, signal, CONNECTIONS, async (socket) => {
    const signature = `X-Service-Signature: sha256=${'0'.repeat(64)}`;
    socket.resume();
    socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\n${signature}\r\nContent-Length: 100000\r\n\r\n`);
    while (await isOpenAfterAWhile(socket, signal)) socket.write('x');
  });

/**
 * Holds connections.
 *
 * @param use uses one until it is closed.
 */
async function hold(
  port: number,
  signal: AbortSignal,
  connections: number,
  use: (socket: Socket) => Promise<void>,
  againMs = AGAIN_MS,
): Promise<Counts> {
  const counts = { opened: 0, refused: 0, mostAtOnce: 0 };
  let open = 0;
  setMaxListeners(0, signal); // one a connection
  const lane = async (share: number) => {
    await wait(share * againMs, signal);
    while (!signal.aborted) {
      const socket = net.connect(port, '127.0.0.1');
      const isConnected = await once(socket, 'connect').then(
        () => true,
        () => false,
      );
      socket.on('error', () => undefined);
      if (isConnected) {
        counts.opened++;
        counts.mostAtOnce = Math.max(counts.mostAtOnce, ++open);
        await use(socket);
        open--;
      } else counts.refused++;
      socket.destroy();
      await wait((0.5 + share) * againMs, signal);
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, n) => lane(n / connections)));
  return counts;
}

async function isOpenAfterAWhile(socket: Socket, signal: AbortSignal): Promise<boolean> {
  await wait(STEP_MS, signal);
  return !socket.destroyed && !signal.aborted;
}

/** Resolves when a connection is closed, or the attack is over. */
async function closed(socket: Socket, signal: AbortSignal): Promise<void> {
  if (!socket.destroyed) await once(socket, 'close', { signal }).catch(() => undefined);
}

async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => undefined);
}
