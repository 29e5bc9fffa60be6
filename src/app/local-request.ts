import type { IncomingMessage } from 'node:http';
import { isIPv4 } from 'node:net';

const LOOPBACK = /^(?:localhost|[^:]+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/** Headers that proxies add; what passes through one may go to the public. */
const OF_PROXIES = /^(?:forwarded|via|x-real-ip|x-forwarded-.+|cf-.+)$/;

/** Whether a browser on this machine asks, and no proxy for somebody else: those of old speak HTTP/1.0. */
export function isLocal({ headers, httpVersion }: IncomingMessage): boolean {
  return (
    LOOPBACK.test(headers.host ?? '') &&
    httpVersion !== '1.0' &&
    !Object.keys(headers).some((name) => OF_PROXIES.test(name))
  );
}

/** The same, and the connection comes from this machine: a client may send any `Host`. */
export function isFromThisMachine(request: IncomingMessage): boolean {
  const address = (request.socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  return (address === '::1' || (isIPv4(address) && address.startsWith('127.'))) && isLocal(request);
}
