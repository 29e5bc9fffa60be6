import http from 'node:http';
import net from 'node:net';

/** What came back over a raw connection. */
export interface RawAnswer {
  readonly status: number;
  readonly body: string;
}

/** Sends everything before it reads anything; a client that notices an answer only when it has spoken. */
export function sendThenRead(port: number, head: string, chunks: readonly Uint8Array[]): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.pause();
    socket.on('error', reject);
    socket.write(head);
    for (const chunk of chunks) socket.write(chunk);
    // Called when all of it has been handed to the system.
    socket.write('', () => {
      let text = '';
      socket.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      socket.on('close', () => resolve(parse(text)));
      socket.resume();
    });
  });
}

function parse(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), body: rest.join('\r\n\r\n') };
}

/** Sends chunks with a pause between them until the answer is there; with a length announced, or chunked. */
export function sendSlowly(
  port: number,
  chunks: Iterable<Uint8Array>,
  headers: http.OutgoingHttpHeaders,
  pauseMs: number,
): Promise<RawAnswer & { readonly chunksSent: number }> {
  return new Promise((resolve, reject) => {
    let chunksSent = 0;
    const agent = new http.Agent({ keepAlive: false });
    const request = http.request({
      port,
      host: '127.0.0.1',
      path: '/webhook',
      method: 'POST',
      headers,
      agent,
    });
    const source = chunks[Symbol.iterator]();
    let answered = false;
    const next = () => {
      const { value, done } = source.next();
      if (done === true || answered) {
        request.end();
        return;
      }
      chunksSent++;
      request.write(value, () => setTimeout(next, pauseMs));
    };
    request.on('error', reject);
    request.on('response', (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        body += part;
      });
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body, chunksSent }));
      response.once('data', () => {
        answered = true;
      });
    });
    next();
  });
}
