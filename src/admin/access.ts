import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { isLocal } from '../host/local-request.js';
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
  /** It comes from another machine, and the admin is for this one. */
  | { readonly kind: 'elsewhere' }
  /** It comes from another machine, and anyone in between can read it. */
  | { readonly kind: 'plain' };

const NEAR = new BlockList();
for (const [network, prefix] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
] as const)
  NEAR.addSubnet(network, prefix, 'ipv4');
NEAR.addAddress('::1', 'ipv6');
NEAR.addSubnet('fc00::', 7, 'ipv6');

/**
 * Whether the admin is served to a request.
 *
 * @param isPublic whether it is served to other machines too, over HTTPS.
 */
export function accessOf(request: IncomingMessage, isPublic: boolean): Access {
  const { remoteAddress = '' } = request.socket;
  if (isLocal(request)) return { kind: 'allowed', isSecure: false, network: networkOf(remoteAddress) };
  if (!isPublic) return { kind: 'elsewhere' };
  if (!isTrustedProxy(remoteAddress) || lastOf(request.headers['x-forwarded-proto']) !== 'https')
    return { kind: 'plain' };
  const client = lastOf(request.headers['x-forwarded-for']);
  return { kind: 'allowed', isSecure: true, network: networkOf(isIP(client) === 0 ? remoteAddress : client) };
}

/** Only a program on this machine or in its network can be a proxy of ours: what others say of themselves is not believed. */
function isTrustedProxy(address: string): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  const version = isIP(plain);
  return version !== 0 && NEAR.check(plain, version === 4 ? 'ipv4' : 'ipv6');
}

/** The last one is the nearest proxy's; those before are what it was told. */
function lastOf(header: string | string[] | undefined): string {
  return [header ?? ''].flat().join(',').split(',').at(-1)?.trim() ?? '';
}
