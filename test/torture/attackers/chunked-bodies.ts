import { connect, headOf, pause, send, type Target } from './connection.js';

const CONNECTIONS = 5;
/** As many bytes as a body may have. */
const BODY_BYTES = 1_000_000;
/** Chunks of one byte that are written at once. */
const CHUNKS = 10_000;
/** Between two bodies of a connection, in milliseconds: Node.js parses 64 KB of each before anybody can stop it. */
const PAUSE_MS = 1_000;

/** Sends bodies in chunks of one byte on five connections, six bytes on the wire for each byte of a body. */
export async function chunkedBodies(target: Target, signal: AbortSignal): Promise<Record<string, number>> {
  const packet = Buffer.from('1\r\nx\r\n'.repeat(CHUNKS));
  const counts = { chunkedBodies: 0, chunks: 0, refusedBodies: 0 };
  const lane = async (signature: string | undefined) => {
    while (!signal.aborted) {
      const connection = connect(target, signal);
      counts.chunkedBodies += 1;
      let open = await send(connection, headOf(target, 'Transfer-Encoding: chunked', signature));
      for (let sent = 0; open && sent < BODY_BYTES; sent += CHUNKS) {
        open = await send(connection, packet);
        counts.chunks += CHUNKS;
      }
      if (open) await send(connection, '0\r\n\r\n');
      if ((await connection.closed) >= 400) counts.refusedBodies += 1;
      await pause(PAUSE_MS, signal);
    }
  };
  // One of them without a signature.
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, n) => lane(n === 0 ? '' : undefined)));
  return counts;
}
