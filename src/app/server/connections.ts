import http from 'node:http';
import net, { type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PressmarkError } from '../../errors.js';
import type { Log } from '../../log.js';
import { answerEarly } from '../../webhook/http/answer-early.js';

/** The highest number of open connections, … */
const MOST_CONNECTIONS = 1_000;
/** … and how many are closed at once to make room, so that not every new connection searches them all. */
const CLOSED_AT_ONCE = 50;
/** The highest number of pipelined requests. Browsers and proxies send one at a time; more would cost memory. */
const MOST_PIPELINED = 16;
/** How much memory answers to slow readers may use, in bytes. Files are not counted, as they are read in parts. */
const MOST_WAITING_BYTES = 64_000_000;
/** The shortest interval between log lines about a shortage of connections, in milliseconds. */
const LOGGED_EVERY_MS = 60_000;

/** How long a client may take, in milliseconds. Between two requests Node.js allows 5 s. */
const LIMITS = {
  headersTimeout: 10_000,
  /** For the whole request: the service gives up after 30 s. */
  requestTimeout: 25_000,
  /** Without reading a byte of the answer. */
  timeout: 30_000,
};
/** How often Node.js checks for slow requests, in milliseconds. */
const CHECKED_EVERY_MS = 1_000;

/** How long a stop accepts what has already arrived, in milliseconds, if clients keep connecting. */
const ARRIVED_MS = 3_000;
/** How long idle connections stay open after a stop has begun, in milliseconds; requests meanwhile get an answer. */
const REFUSING_MS = 250;

/** How long a stop waits, from its beginning. */
export interface Patience {
  /** For incomplete requests, and for clients that are reading an answer. */
  readonly unfinishedMs: number;
  /** For answers to complete requests. */
  readonly wholeMs: number;
}

/** Answers one request. */
export type Handle = (request: http.IncomingMessage, response: http.ServerResponse) => Promise<void>;

interface Connection {
  readonly socket: Socket;
  /** The client's address. */
  readonly client: string;
  /** The first exchange is being answered; the others wait. */
  readonly exchanges: { readonly response: http.ServerResponse; start(): Promise<void> }[];
  /** When it was opened, or the last answer began or ended, by `performance.now()`. */
  since: number;
}

/** A connection that may be closed to make room. */
export interface Candidate {
  readonly client: string;
  /** The time of the last activity, in milliseconds. */
  readonly since: number;
  /** Whether a complete request is still without an answer. */
  readonly isBeingAnswered: boolean;
}

/** An HTTP server with limits on connections. */
export interface BoundedServer {
  readonly server: http.Server;
  /**
   * Stops: each answer closes its connection. Requests that have arrived are answered; later ones are refused with 503.
   * Resolves when all connections are closed.
   */
  close(patience: Patience): Promise<void>;
}

/**
 * Creates an HTTP server in which no client can keep others out or fill the memory:
 *
 * - Pipelined requests are answered one after the other.
 * - A client that does not read its answer is cut off.
 * - If there are too many connections, those that have been idle longest are closed; a new one is refused only if all others are
 *   being answered.
 *
 * @param handle is called for one request of a connection at a time.
 */
export function createBoundedServer(handle: Handle, log: Log): BoundedServer {
  const connections = new Map<Socket, Connection>();
  const server = http.createServer({ connectionsCheckingInterval: CHECKED_EVERY_MS });
  let state: 'open' | 'closing' | 'refusing' = 'open';
  let accepted = 0;
  let loggedAt = Number.NEGATIVE_INFINITY;

  Object.assign(server, LIMITS);
  server.on('timeout', (socket) => {
    const connection = connections.get(socket);
    const isIdle = connection === undefined || connection.exchanges.length === 0;
    if (isIdle || waitingBytes(connection) > 0) socket.destroy();
  });

  server.on('connection', (socket: Socket) => {
    accepted++;
    const client = socket.remoteAddress ?? '';
    connections.set(socket, { socket, client, exchanges: [], since: performance.now() });
    socket.once('close', () => connections.delete(socket));
    if (connections.size <= MOST_CONNECTIONS) return;
    makeRoom(connections, socket);
    if (performance.now() - loggedAt < LOGGED_EVERY_MS) return;
    loggedAt = performance.now();
    log.warn('too many connections; the connections that have been idle longest are closed');
  });

  server.on('request', (request, response) => {
    const connection = connections.get(request.socket);
    if (connection === undefined || request.socket.destroyed) return;
    const { socket, exchanges } = connection;
    const answer = state === 'refusing' ? refuse : handle;
    const start = async () => {
      await answer(request, response);
      if (response.writableLength > MOST_WAITING_BYTES / MOST_CONNECTIONS) boundWaiting(connections);
    };
    exchanges.push({ response, start });
    if (state !== 'open') announceClose(connection);
    if (exchanges.length > MOST_PIPELINED) socket.destroy();
    else if (exchanges.length === 1) startFirst(connection);
  });

  function startFirst(connection: Connection): void {
    const { socket, exchanges } = connection;
    const [first] = exchanges;
    connection.since = performance.now();
    first?.response.once('close', () => {
      exchanges.shift();
      connection.since = performance.now();
      if (exchanges.length > 0 && !socket.destroyed) startFirst(connection);
      else if (state === 'refusing') socket.destroySoon(); // its answer began before the stop and says keep-alive
    });
    void first?.start();
  }

  /**
   * Resolves when everything that the kernel had received by now has been read. A turn of the event loop accepts one connection
   * and reads from all; the last connection is read in the turn after it was accepted.
   */
  async function takeWhatHasArrived(): Promise<void> {
    const end = performance.now() + ARRIVED_MS;
    for (let quietTurns = 0; quietTurns < 3 && performance.now() < end; ) {
      const before = accepted;
      await nextTurn();
      quietTurns = accepted === before ? quietTurns + 1 : 0;
    }
  }

  async function close({ unfinishedMs, wholeMs }: Patience): Promise<void> {
    const began = performance.now();
    state = 'closing';
    for (const connection of connections.values()) announceClose(connection);
    await takeWhatHasArrived();
    state = 'refusing';
    // Not `http.Server.close`, which also resets idle connections whose next request is on its way.
    const closed = new Promise((resolve) => net.Server.prototype.close.call(server, resolve));
    const destroyLater = (ms: number, mayClose: (connection: Connection) => boolean) =>
      setTimeout(() => {
        for (const connection of connections.values()) if (mayClose(connection)) connection.socket.destroy();
      }, ms);
    const elapsed = performance.now() - began;
    const timers = [
      destroyLater(REFUSING_MS, ({ exchanges }) => exchanges.length === 0),
      destroyLater(unfinishedMs - elapsed, (connection) => !isBeingAnswered(connection)),
      destroyLater(wholeMs - elapsed, () => true),
    ];
    await closed;
    for (const timer of timers) clearTimeout(timer);
  }

  return { server, close };
}

/** Closes idle connections, or the new one if all others are being answered. */
function makeRoom(connections: Map<Socket, Connection>, newcomer: Socket): void {
  const others = [...connections.values()].filter(({ socket }) => socket !== newcomer);
  const candidates = others.map((connection) => ({
    ...connection,
    isBeingAnswered: isBeingAnswered(connection),
  }));
  const closed = mostDispensable(candidates, performance.now(), CLOSED_AT_ONCE);
  for (const { socket } of closed) {
    socket.destroy();
    connections.delete(socket); // its `close` comes later than further newcomers
  }
  if (closed.length === 0) newcomer.destroy();
}

/** Cuts off the clients with the most unread bytes until these are within the limit. The last one is never cut off. */
function boundWaiting(connections: Map<Socket, Connection>): void {
  const readers = [...connections.values()].filter((connection) => waitingBytes(connection) > 0);
  readers.sort((a, b) => waitingBytes(b) - waitingBytes(a));
  let waiting = readers.reduce((sum, connection) => sum + waitingBytes(connection), 0);
  for (const connection of readers.slice(0, -1)) {
    if (waiting <= MOST_WAITING_BYTES) return;
    waiting -= waitingBytes(connection);
    connection.socket.destroy();
  }
}

/**
 * The connections to close to make room: the longest idle ones. A client's further connections count more, so that many slow
 * connections of one client are closed before the few of another.
 *
 * @returns at most `count` connections, never one that is being answered.
 */
export function mostDispensable<C extends Candidate>(
  candidates: readonly C[],
  now: number,
  count: number,
): C[] {
  const perClient = new Map<string, number>();
  for (const { client } of candidates) perClient.set(client, (perClient.get(client) ?? 0) + 1);
  const weight = ({ client, since }: Candidate) => (now - since) * (perClient.get(client) ?? 1);
  return candidates
    .filter(({ isBeingAnswered }) => !isBeingAnswered)
    .sort((a, b) => weight(b) - weight(a))
    .slice(0, count);
}

function isBeingAnswered({ exchanges: [first] }: Connection): boolean {
  return first?.response.req.complete === true && !first.response.headersSent;
}

function waitingBytes({ exchanges: [first] }: Connection): number {
  return first?.response.writableLength ?? 0;
}

/** Only the last answer may announce that the connection closes, as a client expects nothing after it. */
function announceClose({ exchanges }: Connection): void {
  for (const [index, { response }] of exchanges.entries())
    if (!response.headersSent) response.shouldKeepAlive = index < exchanges.length - 1;
}

async function refuse(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  const { status, message } = new PressmarkError('STOPPING', 'the receiver is stopping; send this again');
  await answerEarly(request, response, status, JSON.stringify({ error: message }));
}
