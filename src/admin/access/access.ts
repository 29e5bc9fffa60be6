import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { hostnameOf, isLocal, isLoopbackName } from '../../host/http/local-request.js';

/** The client of a request, as far as the request shows. */
export type Access =
  | {
      readonly kind: 'allowed';
      /** Whether the whole connection is encrypted, or stays on this machine. */
      readonly isSecure: boolean;
      /** The admin's origin in the browser, such as `http://localhost:8787`. */
      readonly origin: string;
      /** The network of the browser. */
      readonly network: string;
    }
  /** The request comes from another machine or asks for another host, and the admin is for this machine only. */
  | { readonly kind: 'elsewhere' }
  /** The request comes from another machine, unencrypted. */
  | { readonly kind: 'plain' };

/** Who may use the admin besides browsers on this machine. */
export interface AccessRules {
  /** The public HTTPS origin of the admin, which must differ from the site's host; undefined if there is none. */
  readonly publicOrigin: string | undefined;
  /**
   * The proxies, besides those on this machine, whose `X-Forwarded-Proto` and `X-Forwarded-For` are trusted: addresses, and
   * networks such as `172.18.0.0/16`.
   */
  readonly trustedProxies: readonly string[];
}

/** @returns a function that decides whether a request may use the admin. */
export function createAccess({
  publicOrigin,
  trustedProxies,
}: AccessRules): (request: IncomingMessage) => Access {
  const publicHost = publicOrigin && new URL(publicOrigin).hostname;
  const trusted = new BlockList();
  for (const network of ['127.0.0.0/8', '::1', ...trustedProxies]) {
    const [address = '', prefix] = network.split('/');
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
    if (prefix === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(prefix), family);
  }

  /** Whether an address is a trusted proxy. */
  function isTrusted(address: string): boolean {
    const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
    const version = isIP(plain);
    return version !== 0 && trusted.check(plain, version === 4 ? 'ipv4' : 'ipv6');
  }

  return (request) => {
    const { headers, socket } = request;
    const { host } = headers;
    const { remoteAddress = '' } = socket;
    if (isLocal(request) && isOfBrowserHere(request))
      return {
        kind: 'allowed',
        isSecure: false,
        origin: `http://${host}`,
        network: networkOf(remoteAddress),
      };
    if (publicOrigin === undefined || hostnameOf(host) !== publicHost) return { kind: 'elsewhere' };
    // Read from the nearest hop on. The first address that is not a trusted proxy is the client, which may have invented the
    // rest.
    const hops = listIn(headers['x-forwarded-for']).map(withoutPort);
    const client = hops.findIndex((address) => !isTrusted(address));
    const schemes = listIn(headers['x-forwarded-proto']);
    const scheme = client === -1 ? schemes.at(-1) : (schemes[client] ?? schemes.at(-1));
    if (!isTrusted(remoteAddress) || scheme !== 'https') return { kind: 'plain' };
    const address = hops.at(client) ?? '';
    return {
      kind: 'allowed',
      isSecure: true,
      origin: publicOrigin,
      network: networkOf(isIP(address) === 0 ? remoteAddress : address),
    };
  };
}

/**
 * Whether a browser has connected directly, perhaps through a tunnel or a published port. A proxy that adds no headers is
 * recognised by a missing `keep-alive`, which every browser sends and no proxy may forward (RFC 9110, 7.6.1), and by the page
 * that the browser comes from. A proxy that sends `keep-alive` itself is not recognised.
 */
function isOfBrowserHere({ headers }: IncomingMessage): boolean {
  const pages = [headers.origin, headers.referer].filter((page) => page !== undefined && URL.canParse(page));
  return (
    /(?:^|,)\s*keep-alive\s*(?:,|$)/i.test(headers.connection ?? '') &&
    pages.every((page) => isLoopbackName(new URL(page ?? '').hostname))
  );
}

/** The entries of a list header, the last one first. */
function listIn(header: string | string[] | undefined): string[] {
  const entries = [header ?? []].flat().join(',').split(',');
  return entries.map((entry) => entry.trim()).reverse();
}

/** Removes the port from an address such as `203.0.113.9:4711` or `[2001:db8::1]:443`, as some proxies write it. */
function withoutPort(entry: string): string {
  const [, v6, v4] = /^(?:\[(.+)\]|([\d.]+))(?::\d+)?$/.exec(entry) ?? [];
  return v6 ?? v4 ?? entry;
}

/** The network that an address's attempts count for: with IPv6, one machine may have a whole network. */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (!plain.includes(':')) return plain;
  const [head = '', tail] = plain.split('::', 2);
  const groups = head.split(':').filter((group) => group !== '');
  const rest = (tail ?? '').split(':').filter((group) => group !== '');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - rest.length);
  return [...groups, ...Array<string>(zeros).fill('0'), ...rest].slice(0, 4).join(':');
}
