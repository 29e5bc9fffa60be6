import http from 'node:http';
import net, { type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PressmarkError } from '../../errors.js';
import type { Log } from '../../log.js';
import { answerEarly } from '../../webhook/http/respond.js';

/** More connections are not kept open, … */
const MOST_CONNECTIONS = 1_000;
/** … of which one address, be it a proxy's, has at most so many: the others are free for the service, … */
const MOST_OF_ONE_CLIENT = 900;
/** … and so many are closed at once to make room, so that not every newcomer costs a look at all of them. */
const CLOSED_AT_ONCE = 50;
/** Browsers and proxies send one request at a time; what is sent ahead costs memory before it can be answered. */
const MOST_PIPELINED = 16;
/** What plugins' answers may hold in memory for clients that read slowly; files are read as clients take them. */
const MOST_WAITING_BYTES = 64_000_000;
/** How long a client may take for its headers, … */
const HEADERS_TIMEOUT_MS = 10_000;
/** … for its whole request (the service gives up after 30 s), … */
const REQUEST_TIMEOUT_MS = 25_000;
/** … and between two requests. */
const KEEP_ALIVE_MS = 5_000;
/** Node.js looks for requests that have taken too long only every 30 s without another setting. */
const TIMEOUTS_CHECKED_MS = 1_000;
/** After so many requests a client opens another connection. */
const MOST_REQUESTS = 10_000;
/** A client that takes no byte of an answer for so long is cut off. */
const WRITE_TIMEOUT_MS = 30_000;
/** How often it is noted which clients go on reading. */
const LOOK_MS = 1_000;
/** A shortage of connections is logged at most this often. */
const LOGGED_EVERY_MS = 60_000;
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

/** A request, and the answer to it. */
interface Exchange {
  readonly request: http.IncomingMessage;
  readonly response: http.ServerResponse;
  readonly handle: Handle;
}

interface Connection {
  readonly socket: Socket;
  readonly client: string;
  /** The first is being answered, the others wait for it. */
  readonly exchanges: Exchange[];
  /** When it was opened, a request's head came, an answer ended or a part of one was taken; `performance.now()`. */
  since: number;
  /** How many bytes the client had taken at the last look. */
  taken: number;
}

/** What is asked of a connection before it is closed to make room. */
export interface Candidate {
  /** The client's address. */
  readonly client: string;
  /** When something last went on, in milliseconds. */
  readonly since: number;
  /** Whether a request has arrived whole and its answer has not begun. */
  readonly isProcessed: boolean;
}

/** An HTTP server whose connections are watched over. */
export interface WatchedServer {
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
 * - A newcomer is always let in; where there are too many, in all or of one address, those that have been of no use for
 *   longest are closed.
 *
 * @param handle is called for one request of a connection at a time.
 */
export function createWatchedServer(handle: Handle, log: Log): WatchedServer {
  const connections = new Map<Socket, Connection>();
  const countByClient = new Map<string, number>();
  let state: 'open' | 'closing' | 'refusing' = 'open';
  let accepted = 0;
  let lookedAt = performance.now();
  let closedForRoom = 0;
  let loggedAt = Number.NEGATIVE_INFINITY;

  function open(socket: Socket): void {
    accepted++;
    const client = socket.remoteAddress ?? '';
    connections.set(socket, { socket, client, exchanges: [], since: performance.now(), taken: 0 });
    const count = (countByClient.get(client) ?? 0) + 1;
    countByClient.set(client, count);
    socket.once('close', () => forget(socket));
    if (count > MOST_OF_ONE_CLIENT) makeRoom(socket, (other) => other === client);
    else if (connections.size > MOST_CONNECTIONS) makeRoom(socket, () => true);
  }

  function forget(socket: Socket): void {
    const client = connections.get(socket)?.client;
    if (client === undefined || !connections.delete(socket)) return;
    const left = (countByClient.get(client) ?? 1) - 1;
    if (left === 0) countByClient.delete(client);
    else countByClient.set(client, left);
  }

  function answer(request: http.IncomingMessage, response: http.ServerResponse): void {
    const connection = connections.get(request.socket);
    if (connection === undefined || request.socket.destroyed) return;
    connection.exchanges.push({ request, response, handle: state === 'refusing' ? refuse : handle });
    if (state !== 'open') announceClose(connection);
    if (connection.exchanges.length === 1) answerFirst(connection);
  }

  function answerFirst(connection: Connection): void {
    const { socket, exchanges } = connection;
    const [first] = exchanges;
    if (first === undefined || socket.destroyed) return;
    connection.since = performance.now();
    first.response.once('close', () => {
      exchanges.shift();
      connection.since = performance.now();
      if (exchanges.length > 0) answerFirst(connection);
      else if (state === 'refusing') socket.destroySoon(); // its answer began before the stop and says keep-alive
    });
    void first.handle(first.request, first.response).then(() => {
      if (first.response.writableLength > MOST_WAITING_BYTES / MOST_CONNECTIONS) boundWaitingBytes();
    });
  }

  /** A client has taken bytes since the last look, perhaps just after it. */
  function noteProgress(): void {
    for (const connection of connections.values()) {
      const { socket, exchanges } = connection;
      if (exchanges[0]?.response.headersSent !== true) continue;
      const taken = socket.bytesWritten - socket.writableLength;
      if (taken !== connection.taken) connection.since = Math.max(connection.since, lookedAt);
      connection.taken = taken;
    }
    lookedAt = performance.now();
  }

  /** Closes connections of some clients, or the newcomer where all of them are being answered. */
  function makeRoom(newcomer: Socket, mayClose: (client: string) => boolean): void {
    noteProgress();
    const now = performance.now();
    const others = [...connections.values()].filter(
      ({ socket, client }) => socket !== newcomer && mayClose(client),
    );
    const closed = mostDispensable(others.map(asCandidate), now, CLOSED_AT_ONCE);
    for (const { connection } of closed) {
      connection.socket.destroy();
      forget(connection.socket); // its `close` comes later than further newcomers
    }
    if (closed.length === 0) newcomer.destroy();
    closedForRoom += Math.max(closed.length, 1);
    if (now - loggedAt < LOGGED_EVERY_MS) return;
    log.warn(
      { connections: connections.size, closed: closedForRoom },
      'too many connections; those that were of no use for longest have been closed',
    );
    loggedAt = now;
    closedForRoom = 0;
  }

  function boundWaitingBytes(): void {
    noteProgress();
    let waiting = 0;
    const readers: Connection[] = [];
    for (const connection of connections.values()) {
      const bytes = waitingBytes(connection);
      if (bytes === 0) continue;
      readers.push(connection);
      waiting += bytes;
    }
    readers.sort((a, b) => a.since - b.since);
    // The last one is left, however large its answer: nobody else waits then.
    for (const connection of readers.slice(0, -1)) {
      if (waiting <= MOST_WAITING_BYTES) return;
      waiting -= waitingBytes(connection);
      connection.socket.destroy();
    }
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
    const remaining = (ms: number) => Math.max(0, began + ms - performance.now());
    state = 'closing';
    for (const connection of connections.values()) announceClose(connection);
    await takeWhatHasArrived();
    state = 'refusing';
    // Not by http.Server, which also resets kept-alive connections whose next request is on its way.
    const closed = new Promise((resolve) => net.Server.prototype.close.call(server, resolve));
    const destroy = (mayClose: (connection: Connection) => boolean) => () => {
      for (const connection of connections.values()) if (mayClose(connection)) connection.socket.destroy();
    };
    const timers = [
      setTimeout(
        destroy(({ exchanges }) => exchanges.length === 0),
        REFUSING_MS,
      ),
      setTimeout(
        destroy((connection) => !isProcessed(connection)),
        remaining(unfinishedMs),
      ),
      setTimeout(
        destroy(() => true),
        remaining(wholeMs),
      ),
    ];
    await closed;
    clearInterval(looking);
    for (const timer of timers) clearTimeout(timer);
  }

  /**
   * Node.js makes objects for all requests of a packet before any is answered: 7 MB and 17 ms for 64 kB. It stops
   * only at one that it takes for a change of the protocol.
   */
  class Request extends http.IncomingMessage {
    constructor(socket: Socket) {
      super(socket);
      const { length = 0 } = connections.get(socket)?.exchanges ?? [];
      if (length < MOST_PIPELINED) return;
      Object.defineProperty(this, 'upgrade', { get: () => true, set: () => undefined });
      socket.destroy();
    }
  }

  // Requests without a Host are answered by `handle`: Node.js would answer all of a packet itself, and at once.
  const server = http.createServer({
    IncomingMessage: Request,
    connectionsCheckingInterval: TIMEOUTS_CHECKED_MS,
    requireHostHeader: false,
  });
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.timeout = WRITE_TIMEOUT_MS;
  server.maxRequestsPerSocket = MOST_REQUESTS;
  const looking = setInterval(noteProgress, LOOK_MS).unref();
  server.on('connection', open);
  server.on('request', answer);
  server.on('checkExpectation', answer);
  server.on('dropRequest', (_request, socket) => socket.destroy());
  server.on('timeout', (socket) => {
    const connection = connections.get(socket);
    const isIdle = connection === undefined || connection.exchanges.length === 0;
    if (isIdle || waitingBytes(connection) > 0) socket.destroy();
  });
  return { server, close };
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
    .map((candidate) => ({ candidate, weight: weight(candidate) }))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, count)
    .map(({ candidate }) => candidate);
}

function asCandidate(connection: Connection): Candidate & { readonly connection: Connection } {
  const { client, since } = connection;
  return { client, since, isProcessed: isProcessed(connection), connection };
}

function isProcessed({ exchanges: [first] }: Connection): boolean {
  return first?.request.complete === true && !first.response.headersSent;
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
