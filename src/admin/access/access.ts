import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { hostnameOf, isLocal, isLoopbackName } from '../../host/http/local-request.js';

/** Who asks, as far as the request shows. */
export type Access =
  | {
      readonly kind: 'allowed';
      /** Whether all of the way is encrypted, or does not leave this machine. */
      readonly isSecure: boolean;
      /** Where the browser has the admin, such as `http://localhost:8787`. */
      readonly origin: string;
      /** The network of the browser. */
      readonly network: string;
    }
  /** It comes from another machine, or asks for another host, and the admin is for this one. */
  | { readonly kind: 'elsewhere' }
  /** It comes from another machine, and anyone in between can read it. */
  | { readonly kind: 'plain' };

/** Who gets in besides browsers on this machine. */
export interface AccessRules {
  /** Where the admin is served over HTTPS, at a host name that the site does not have; undefined if it is not. */
  readonly publicOrigin: string | undefined;
  /** Whose `X-Forwarded-Proto` and `X-Forwarded-For` are believed besides this machine's: addresses and networks such as `172.18.0.0/16`. */
  readonly trustedProxies: readonly string[];
}

/** @returns whether the admin is served to a request. */
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

  /** What others say of themselves is not believed. */
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
    // From the nearest hop on. The first address that is not a trusted proxy is the client; it may have invented the rest.
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
 * Whether a browser has connected by itself, as a tunnel or a published port lets it. A proxy that says nothing of itself is
 * seen by what it must not hand on: every browser asks for `keep-alive`, which is for one connection alone (RFC 9110, 7.6.1),
 * and by the page that a browser comes from. A proxy that asks for `keep-alive` in its own name is not recognised.
 */
function isOfBrowserHere({ headers }: IncomingMessage): boolean {
  const pages = [headers.origin, headers.referer].filter((page) => page !== undefined && URL.canParse(page));
  return (
    /(?:^|,)\s*keep-alive\s*(?:,|$)/i.test(headers.connection ?? '') &&
    pages.every((page) => isLoopbackName(new URL(page ?? '').hostname))
  );
}

/** The entries of a header to which each proxy on the way has added one, the last one first. */
function listIn(header: string | string[] | undefined): string[] {
  const entries = [header ?? []].flat().join(',').split(',');
  return entries.map((entry) => entry.trim()).reverse();
}

/** An address such as `203.0.113.9:4711` or `[2001:db8::1]:443`, as some proxies write it, by itself. */
function withoutPort(entry: string): string {
  const [, v6, v4] = /^(?:\[(.+)\]|([\d.]+))(?::\d+)?$/.exec(entry) ?? [];
  return v6 ?? v4 ?? entry;
}

/** Whose attempts an address counts for: of IPv6, a network of which one machine has all addresses. */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (!plain.includes(':')) return plain;
  const [head = '', tail] = plain.split('::', 2);
  const groups = head.split(':').filter((group) => group !== '');
  const rest = (tail ?? '').split(':').filter((group) => group !== '');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - rest.length);
  return [...groups, ...Array<string>(zeros).fill('0'), ...rest].slice(0, 4).join(':');
}
