import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { hostnameOf, isLocal, isLoopbackName } from '../../host/http/local-request.js';
import { networkOf } from './attempts.js';

/** Who asks, as far as the request shows. */
export type Access =
  | {
      readonly kind: 'allowed';
      /** Whether all of the way is encrypted, or does not leave this machine. */
      readonly isSecure: boolean;
      /** The network of the browser. */
      readonly network: string;
    }
  /** It comes from another machine, or asks for another host, and the admin is for this one. */
  | { readonly kind: 'elsewhere' }
  /** It comes from another machine, and anyone in between can read it. */
  | { readonly kind: 'plain' };

/** Who gets in besides browsers on this machine. */
export interface AccessRules {
  /** The host name at which the admin is served over HTTPS, which the site does not have; undefined if it is not. */
  readonly publicHost: string | undefined;
  /** Whose `X-Forwarded-Proto` and `X-Forwarded-For` are believed besides this machine's: addresses and networks such as `172.18.0.0/16`. */
  readonly trustedProxies: readonly string[];
}

/** @returns whether the admin is served to a request. */
export function createAccess({
  publicHost,
  trustedProxies,
}: AccessRules): (request: IncomingMessage) => Access {
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
    const { remoteAddress = '' } = socket;
    if (isLocal(request) && isOfBrowserHere(request))
      return { kind: 'allowed', isSecure: false, network: networkOf(remoteAddress) };
    if (publicHost === undefined || hostnameOf(headers.host) !== publicHost) return { kind: 'elsewhere' };
    if (!isTrusted(remoteAddress) || lastOf(headers['x-forwarded-proto']) !== 'https')
      return { kind: 'plain' };
    const client = lastOf(headers['x-forwarded-for']);
    return {
      kind: 'allowed',
      isSecure: true,
      network: networkOf(isIP(client) === 0 ? remoteAddress : client),
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

/** The last one is the nearest proxy's; those before are what it was told. */
function lastOf(header: string | string[] | undefined): string {
  return [header ?? ''].flat().join(',').split(',').at(-1)?.trim() ?? '';
}
