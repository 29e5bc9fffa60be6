import http from 'node:http';
import net, { type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PressmarkError } from '../../errors.js';
import type { Log } from '../../log.js';
import { answerEarly } from '../../webhook/http/respond.js';

/** More connections are not kept open, … */
const MOST_CONNECTIONS = 1_000;
/** … and so many are closed at once to make room, so that not every newcomer costs a look at all of them. */
const CLOSED_AT_ONCE = 50;
/** Browsers and proxies send one request at a time; what is sent ahead costs memory before it can be answered. */
const MOST_PIPELINED = 16;
/** What plugins' answers may hold in memory for clients that read slowly; files are read as clients take them. */
const MOST_WAITING_BYTES = 64_000_000;
/** A shortage of connections is logged at most this often. */
const LOGGED_EVERY_MS = 60_000;

/** How long a client may take, in milliseconds; between two requests Node.js allows 5 s. */
const LIMITS = {
  headersTimeout: 10_000,
  /** For the whole request: the service gives up after 30 s. */
  requestTimeout: 25_000,
  /** While it takes no byte of its answer. */
  timeout: 30_000,
};
/** How often Node.js looks for requests that have taken too long. */
const CHECKED_EVERY_MS = 1_000;

/** A stop first takes what has arrived: some milliseconds, and at most so long where others go on connecting. */
const ARRIVED_MS = 3_000;
/** Kept-alive connections stay open so long after a stop has begun: what comes meanwhile gets an answer. */
const REFUSING_MS = 250;

/** How long a stop waits, counted from its beginning. */
export interface Patience {
  /** For requests that have not arrived whole, and for clients that read an answer. */
  readonly unfinishedMs: number;
  /** For answers to requests that have arrived whole. */
  readonly wholeMs: number;
}

/** Answers one request. */
export type Handle = (request: http.IncomingMessage, response: http.ServerResponse) => Promise<void>;

interface Connection {
  readonly socket: Socket;
  /** The client's address. */
  readonly client: string;
  /** The first is being answered, the others wait for it. */
  readonly exchanges: { readonly response: http.ServerResponse; start(): Promise<void> }[];
  /** When it was opened, or the last answer began or ended; `performance.now()`. */
  since: number;
}

/** What is asked of a connection before it is closed to make room. */
export interface Candidate {
  readonly client: string;
  /** When something last went on, in milliseconds. */
  readonly since: number;
  /** Whether a request has arrived whole and its answer has not begun. */
  readonly isProcessed: boolean;
}

/** An HTTP server whose connections are bounded. */
export interface BoundedServer {
  readonly server: http.Server;
  /**
   * From now on each answer closes its connection. What has arrived by now is answered; what arrives later is
   * refused with 503. Resolves when all connections are closed.
   */
  close(patience: Patience): Promise<void>;
}

/**
 * Makes an HTTP server in which no client can keep others out or fill the memory:
 *
 * - Requests that are sent ahead on one connection are answered one after the other.
 * - A client that does not read its answer is cut off.
 * - A new connection is always accepted; if there are too many, those that have been idle longest are closed.
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
    log.warn('too many connections; those that were of no use for longest are closed');
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
   * Resolves when what the kernel had at the call has been read. A turn of the event loop accepts one connection and
   * reads from all; the last connection is read in the turn after it was accepted.
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
    // Not by http.Server, which also resets kept-alive connections whose next request is on its way.
    const closed = new Promise((resolve) => net.Server.prototype.close.call(server, resolve));
    const destroyLater = (ms: number, mayClose: (connection: Connection) => boolean) =>
      setTimeout(() => {
        for (const connection of connections.values()) if (mayClose(connection)) connection.socket.destroy();
      }, ms);
    const elapsed = performance.now() - began;
    const timers = [
      destroyLater(REFUSING_MS, ({ exchanges }) => exchanges.length === 0),
      destroyLater(unfinishedMs - elapsed, (connection) => !isProcessed(connection)),
      destroyLater(wholeMs - elapsed, () => true),
    ];
    await closed;
    for (const timer of timers) clearTimeout(timer);
  }

  return { server, close };
}

/** Closes connections, or the newcomer where all others are being answered. */
function makeRoom(connections: Map<Socket, Connection>, newcomer: Socket): void {
  const others = [...connections.values()].filter(({ socket }) => socket !== newcomer);
  const candidates = others.map((connection) => ({ ...connection, isProcessed: isProcessed(connection) }));
  const closed = mostDispensable(candidates, performance.now(), CLOSED_AT_ONCE);
  for (const { socket } of closed) {
    socket.destroy();
    connections.delete(socket); // its `close` comes later than further newcomers
  }
  if (closed.length === 0) newcomer.destroy();
}

/** Cuts off those for whom most waits, until not too much waits for all; nobody else waits for the last one. */
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
 * The connections that may be closed to make room: those on which nothing has gone on for longest. Each further one of
 * the same client counts, so that many slow connections of one client go before the few of another.
 *
 * @returns at most `count`, the most dispensable first, never one whose request is being processed.
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
    .filter(({ isProcessed }) => !isProcessed)
    .sort((a, b) => weight(b) - weight(a))
    .slice(0, count);
}

function isProcessed({ exchanges: [first] }: Connection): boolean {
  return first?.response.req.complete === true && !first.response.headersSent;
}

function waitingBytes({ exchanges: [first] }: Connection): number {
  return first?.response.writableLength ?? 0;
}

/** Only the last answer may say that the connection closes: a client expects nothing behind it. */
function announceClose({ exchanges }: Connection): void {
  for (const [index, { response }] of exchanges.entries())
    if (!response.headersSent) response.shouldKeepAlive = index < exchanges.length - 1;
}

async function refuse(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  const { status, message } = new PressmarkError('STOPPING', 'the receiver is stopping; send this again');
  await answerEarly(request, response, status, JSON.stringify({ error: message }));
}
