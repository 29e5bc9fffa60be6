import net from 'node:net';
import { quantile } from './figures.js';

/** What one measurement saw. */
export interface Load {
  readonly requests: number;
  readonly perSecond: number;
  /** Milliseconds from the first byte sent to the answer's last byte, one a request. */
  readonly latencies: readonly number[];
  readonly p50: number;
  readonly p99: number;
}

export interface LoadOptions {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /** The status that answers must have. @default 200 */
  readonly status?: number;
  /** The next request's bytes; undefined ends the measurement early. */
  next(): Buffer | undefined;
}

/**
 * Keeps `connections` keep-alive connections busy, one request at a time on each. On plain sockets, because an
 * HTTP client would take more of the two sides' processor than they do of it.
 *
 * @throws Error where an answer has another status: figures of refused deliveries would say nothing.
 */
export async function load({ port, connections, seconds, status = 200, next }: LoadOptions): Promise<Load> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => connect(port)));
  const latencies: number[] = [];
  const started = performance.now();
  const end = started + seconds * 1000;
  const nextInTime = () => (performance.now() < end ? next() : undefined);
  await Promise.all(
    sockets.map(async (socket) => {
      // A receiver closes a connection after so many requests, and says so in its last answer.
      let open = socket;
      while (!(await keepBusy(open, status, nextInTime, latencies))) open = await connect(port);
    }),
  );
  const elapsed = (performance.now() - started) / 1000;
  return {
    requests: latencies.length,
    perSecond: latencies.length / elapsed,
    latencies,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
  };
}

function connect(port: number): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ port, host: 'localhost', noDelay: true });
    socket.once('connect', () => resolve(socket)).once('error', reject);
  });
}

/** Sends requests on one connection. Resolves with whether no request is left; otherwise the receiver closes the connection. */
function keepBusy(
  socket: net.Socket,
  status: number,
  next: () => Buffer | undefined,
  latencies: number[],
): Promise<boolean> {
  return new Promise<boolean>((resolve, reject) => {
    let sentAt = 0;
    let received = '';
    const send = () => {
      const request = next();
      if (request === undefined) return resolve(true);
      sentAt = performance.now();
      socket.write(request);
    };
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      if (!isWhole(received)) return;
      if (!received.startsWith(`HTTP/1.1 ${status} `))
        return reject(new Error(`not a ${status}: ${received.slice(0, 500)}`));
      latencies.push(performance.now() - sentAt);
      const isLast = /\r\nconnection: close\r\n/i.test(received);
      received = '';
      if (isLast) resolve(false);
      else send();
    });
    socket.once('error', reject).once('close', () => reject(new Error('the receiver hung up')));
    send();
  }).finally(() => socket.destroy());
}

/** Whether an answer has come to its end; both sides send Content-Length. */
function isWhole(answer: string): boolean {
  const end = answer.indexOf('\r\n\r\n');
  if (end === -1) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(answer)?.[1];
  if (length === undefined) throw new Error(`an answer without Content-Length: ${answer.slice(0, 200)}`);
  return answer.length >= end + 4 + Number(length);
}

/** Gives each of the requests once. */
export function once(requests: readonly Buffer[]): () => Buffer | undefined {
  let index = 0;
  return () => requests[index++];
}

/** Gives the requests round and round. */
export function forever(requests: readonly Buffer[]): () => Buffer | undefined {
  let index = 0;
  return () => requests[index++ % requests.length];
}
