import { connect, headOf, pause, send, type Target } from './connection.js';

const CONNECTIONS = 4;
const FILLER = 'unverified '.repeat(5_000);
/** Between two requests of a connection, in milliseconds. */
const PAUSE_MS = 5;

/** Sends requests that stop being HTTP: in a chunk, in a header, in the first line, after a whole request. */
export async function malformedRequests(
  target: Target,
  signal: AbortSignal,
): Promise<Record<string, number>> {
  const { length } = FILLER;
  const chunked = headOf(target, 'Transfer-Encoding: chunked');
  const requests = [
    `${chunked}${length.toString(16)}\r\n${FILLER}\r\nnot a size\r\n`,
    `${chunked}1\r\nx and more than one byte ${FILLER}`,
    `${headOf(target, 'X-Broken: a\u0000b')}${FILLER}`,
    `${FILLER}\r\n\r\n`,
    `${headOf(target, `Content-Length: ${length}`)}${FILLER}${FILLER}`,
    `GET /feed.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n${FILLER}`,
  ];
  const counts = { malformedRequests: 0, refusedRequests: 0 };
  const lane = async (first: number) => {
    for (let n = first; !signal.aborted; n++) {
      const connection = connect(target, signal);
      counts.malformedRequests += 1;
      await send(connection, requests[n % requests.length] ?? '');
      if ((await connection.closed) >= 400) counts.refusedRequests += 1;
      await pause(PAUSE_MS, signal);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, n) => lane(n)));
  return counts;
}
