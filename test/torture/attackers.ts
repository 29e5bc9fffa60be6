/**
 * `attackers.js <port>`: all attackers at once on the receiver at this port, until the parent process sends a message. The
 * answer to the message is what they did. They are clients without a secret that hold connections; what the receiver closes
 * is opened again.
 */
import net from 'node:net';
import { setTimeout } from 'node:timers/promises';

interface Attack {
  /** How many connections are held at the same time. */
  readonly connections: number;
  /**
   * A connection that was closed is opened again after half of this time to one and a half, in milliseconds: at once, or all
   * in the same moment, would be an attack on the processor, which needs no held connections.
   */
  readonly againMs: number;
  /** What the n-th connection sends first. */
  first(n: number): string | Buffer;
  /** Whether the answers are read. */
  readonly reads: boolean;
  /** What is done in each second until the connection is closed. */
  step?(socket: net.Socket): unknown;
}

/** The head of a delivery; its signature has the form of one, and is of nothing. */
function headOf(framing: string, isSigned = true): string {
  const lines = ['POST /webhook HTTP/1.1', 'Host: 127.0.0.1', 'Content-Type: application/json', framing];
  if (isSigned) lines.push(`X-Service-Signature: sha256=${'5'.repeat(64)}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** The feed is the largest file that visitors can ask for. */
const GET = 'GET /feed.json HTTP/1.1\r\nHost: x\r\n';
/** As many bytes as a body may have. */
const BODY_BYTES = 1_000_000;
const HALF_SENT = Buffer.from(headOf(`Content-Length: ${BODY_BYTES}`) + ' '.repeat(BODY_BYTES - 1));
const CHUNKS = `${'1\r\nx\r\n'.repeat(BODY_BYTES)}0\r\n\r\n`;
const [CHUNKED, CHUNKED_UNSIGNED] = [true, false].map((isSigned) =>
  Buffer.from(headOf('Transfer-Encoding: chunked', isSigned) + CHUNKS),
);
const FILLER = 'unverified '.repeat(5_000);
const { length } = FILLER;
/** Requests that stop being HTTP: in a chunk, in a header, in the first line, after a whole request. */
const MALFORMED = [
  `${headOf('Transfer-Encoding: chunked')}${length.toString(16)}\r\n${FILLER}\r\nnot a size\r\n`,
  `${headOf('Transfer-Encoding: chunked')}1\r\nx and more than one byte ${FILLER}`,
  `${headOf('X-Broken: a\u0000b')}${FILLER}`,
  `${FILLER}\r\n\r\n`,
  `${headOf(`Content-Length: ${length}`)}${FILLER}${FILLER}`,
  `${GET}\r\n${FILLER}`,
];

/** As many as a receiver keeps open. */
const MANY = { connections: 1_000, againMs: 15_000 };
const writeOne = (socket: net.Socket) => socket.write('x');

const ATTACKS: Readonly<Record<string, Attack>> = {
  pipelinedReads: { connections: 20, againMs: 500, reads: false, first: () => `${GET}\r\n`.repeat(2_000) },
  slowReaders: { ...MANY, reads: false, first: () => `${GET}\r\n`, step: (socket) => socket.read(100) },
  slowHeaders: { ...MANY, reads: true, first: () => `${GET}X-Slow: `, step: writeOne },
  slowBodies: { ...MANY, reads: true, first: () => headOf('Content-Length: 100000'), step: writeOne },
  // Some twenty of them are opened in a second, so that the attack is not one of load.
  halfSentBodies: { connections: 990, againMs: 50_000, reads: true, first: () => HALF_SENT },
  chunkedBodies: {
    connections: 5,
    againMs: 1_000,
    reads: true,
    first: (n) => (n % 5 === 0 ? CHUNKED_UNSIGNED : CHUNKED) ?? '',
  },
  malformedRequests: {
    connections: 4,
    againMs: 10,
    reads: true,
    first: (n) => MALFORMED[n % MALFORMED.length] ?? '',
  },
};

const STEP_MS = 1_000;
const port = Number(process.argv[2]);

/** What the attackers did, such as `slowReaders opened`. */
const counts: Record<string, number> = {};

async function hold(name: string, { connections, againMs, reads, first, step }: Attack): Promise<void> {
  let open = 0;
  let made = 0;

  async function lane(share: number): Promise<void> {
    await setTimeout(share * againMs);
    for (;;) {
      const socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.on('error', () => undefined); // a receiver may reset whatever an attacker opens
      socket.once('connect', () => {
        counts[`${name} opened`] = (counts[`${name} opened`] ?? 0) + 1;
        counts[`${name} most at once`] = Math.max(counts[`${name} most at once`] ?? 0, ++open);
        socket.once('close', () => open--);
      });
      if (reads) socket.resume();
      else socket.pause();
      socket.write(first(made++));
      while (step !== undefined && !socket.destroyed) {
        await setTimeout(STEP_MS);
        step(socket);
      }
      await closed;
      await setTimeout((0.5 + share) * againMs);
    }
  }

  await Promise.all(Array.from({ length: connections }, (_, n) => lane(n / connections)));
}

for (const [name, attack] of Object.entries(ATTACKS)) void hold(name, attack);
process.once('message', () => process.send?.(counts, () => process.exit()));
