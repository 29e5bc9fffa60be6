import { setMaxListeners } from 'node:events';
import net from 'node:net';
import { setTimeout } from 'node:timers/promises';

/** The receiver that is attacked, on this machine. */
export interface Target {
  readonly port: number;
  /** What is read, such as `/feed.json`; of attacks on the webhook, its path. */
  readonly path: string;
}

/** A connection that an attacker has opened. */
export interface Connection {
  readonly socket: net.Socket;
  /** Resolves with whether it was accepted. */
  readonly opened: Promise<boolean>;
  /** Resolves with the status of the first answer, 0 without one, when the connection is closed. */
  readonly closed: Promise<number>;
}

/** Opens a connection; it is closed when the signal fires. */
export function connect({ port }: Target, signal: AbortSignal): Connection {
  const socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
  const end = () => socket.destroy();
  setMaxListeners(0, signal); // one a connection
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  let head = '';
  socket.on('data', (bytes: Buffer) => {
    if (head.length < 12) head += bytes.toString('latin1', 0, 12);
  });
  socket.on('error', () => undefined); // a receiver may reset whatever an attacker opens
  const opened = new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('close', () => resolve(false));
  });
  const closed = new Promise<number>((resolve) => {
    socket.once('close', () => {
      signal.removeEventListener('abort', end);
      resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0));
    });
  });
  return { socket, opened, closed };
}

/** Writes, and waits until the bytes were passed to the kernel. @returns whether the connection is still open. */
export function send({ socket, closed }: Connection, bytes: Uint8Array | string): Promise<boolean> {
  const sent = new Promise<boolean>((resolve) =>
    socket.write(bytes, (error) => resolve(error === undefined || error === null)),
  );
  return Promise.race([sent, closed.then(() => false)]);
}

/** Waits, but not longer than the attack lasts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => undefined);
}

/** The head of a delivery; its signature has the form of one, and is of nothing. */
export function headOf({ path }: Target, framing: string, signature = `sha256=${'5'.repeat(64)}`): string {
  const lines = [`POST ${path} HTTP/1.1`, 'Host: 127.0.0.1', 'Content-Type: application/json', framing];
  return [...lines, ...(signature === '' ? [] : [`X-Service-Signature: ${signature}`]), '', ''].join('\r\n');
}
