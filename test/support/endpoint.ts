import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Teardown } from './teardown.js';

/** A request as a scripted endpoint got it. */
export interface Got {
  readonly method: string;
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A server whose answers are chosen by a test. */
export interface Endpoint {
  /** `http://127.0.0.1:<port>/hook`. */
  readonly url: string;
  readonly origin: string;
  /** All requests in the order of their arrival. */
  readonly got: readonly Got[];
}

/** Answers one request. */
export type Answering = (got: Got, response: http.ServerResponse) => unknown;

/** Answers with a status and a body. A body that is not a string is sent as JSON. */
export function reply(status: number, body: unknown = '', headers: http.OutgoingHttpHeaders = {}): Answering {
  return (_got, response) => {
    response.writeHead(status, headers);
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

/** Starts an endpoint that is closed after the test. */
export async function startEndpoint(t: Teardown, answer: Answering): Promise<Endpoint> {
  const got: Got[] = [];
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url: path = '', headers } = request;
    const one = { method, path, headers, body: Buffer.concat(chunks) };
    got.push(one);
    await answer(one, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: `${origin}/hook`, origin, got };
}
