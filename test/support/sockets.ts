import net from 'node:net';
import { envelope, type PublishedData } from './events.js';
import { signature } from './signer.js';
import { soon } from './until.js';

/** The bytes of a signed publication, its head and its body. */
export function publicationBytes(data: PublishedData, ...headers: string[]): { head: string; body: string } {
  const body = JSON.stringify(envelope('article.published', data));
  const lines = [
    'POST /webhook HTTP/1.1',
    'Host: localhost',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Service-Signature: ${signature(body)}`,
    ...headers,
  ];
  return { head: `${lines.join('\r\n')}\r\n\r\n`, body };
}

/** An answer on a raw connection. */
export interface RawAnswer {
  readonly status: number;
  readonly body: string;
}

/** Sends a whole request before it reads any part of the answer, as some clients do. */
export function sendThenRead(port: number, head: string, chunks: readonly Uint8Array[]): Promise<RawAnswer> {
  const answer = new Promise<RawAnswer>((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.pause();
    socket.on('error', reject);
    socket.write(head);
    for (const chunk of chunks) socket.write(chunk);
    // This callback runs when all data was passed to the kernel.
    socket.write('', () => {
      let text = '';
      socket.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      socket.on('close', () => resolve(parse(text)));
      socket.resume();
    });
  });
  return soon('the answer arrives, and the connection is closed', answer);
}

function parse(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), body: rest.join('\r\n\r\n') };
}
