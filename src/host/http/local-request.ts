import type { IncomingMessage } from 'node:http';

const LOOPBACK_ADDRESS = /^(?:(?:::ffff:)?127(?:\.\d{1,3}){3}|::1)$/i;
const LOOPBACK_HOST = /^(?:localhost|[^:]+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::(\d+))?$/i;

/** Headers that proxies add. A request through a proxy may come from the public. */
const OF_PROXIES = /^(?:forwarded|via|x-.+|.+-client-ip|cf-.+|cloudfront-.+)$/;

/** The name in a `Host` header, in lowercase, without its port; undefined if there is none. */
export function hostnameOf(host: string | undefined): string | undefined {
  return host?.toLowerCase().replace(/:\d*$/, '');
}

/** Whether a host name always resolves to this machine. */
export function isLoopbackName(hostname: string): boolean {
  return LOOPBACK_HOST.test(hostname);
}

/** The origin that a request was sent to: HTTPS, except on this machine, as a secret must not travel in clear text. */
export function originOf(host = ''): string {
  return `${isLoopbackName(host) ? 'http' : 'https'}://${host}`;
}

/** The parts of a request that identify the client. */
export interface Asked extends Pick<IncomingMessage, 'headers' | 'httpVersion'> {
  readonly socket: Pick<IncomingMessage['socket'], 'remoteAddress' | 'localPort'>;
}

/** Whether the request seems to come from a browser on this machine. A proxy that adds no headers looks the same. */
export function isLocal({ headers, httpVersion, socket }: Asked): boolean {
  const [host, port = '80'] = LOOPBACK_HOST.exec(headers.host ?? '') ?? [];
  return (
    LOOPBACK_ADDRESS.test(socket.remoteAddress ?? '') &&
    host !== undefined &&
    Number(port) === socket.localPort &&
    httpVersion !== '1.0' &&
    !Object.keys(headers).some((name) => OF_PROXIES.test(name))
  );
}
