import dns from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { messageOf, PressmarkError, quote } from '../../errors.js';

/** A request to an address that anybody may reach. */
export interface PublicRequest {
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whether addresses of this machine and of private networks are allowed. */
  readonly allowPrivate: boolean;
  /** The most bytes of the answer, as sent and as decompressed. */
  readonly maxBytes: number;
  /** How long the whole answer may take, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Resolves names; for tests. @default the system's resolver */
  readonly resolve?: (host: string) => Promise<readonly { address: string; family: number }[]>;
}

/** The answer to a request, read to its end. */
export interface PublicAnswer {
  readonly status: number;
  /** The values of each header by its name in lower case, each as it came. */
  readonly headers: NodeJS.Dict<string[]>;
  readonly text: string;
}

/** Addresses that are not of the public Internet: RFC 6890 and its successors. */
const PRIVATE = new net.BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  PRIVATE.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of [
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 9],
  ['ff00::', 8],
] as const)
  PRIVATE.addSubnet(network, bits, 'ipv6');

/** Whether an IP address is not of the public Internet. IPv4 addresses in the form of IPv6 count as what they are. */
export function isPrivateAddress(address: string): boolean {
  const family = net.isIP(address);
  if (family === 0) return true;
  return PRIVATE.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** Whether a host name means this machine or a private network without any resolver. */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return (
    host === 'localhost' || host.endsWith('.localhost') || (net.isIP(host) !== 0 && isPrivateAddress(host))
  );
}

/**
 * Sends one request and follows no redirect. The connection goes to an address that was checked, and not to what the name
 * would mean a moment later.
 *
 * @throws PressmarkError UNREACHABLE; the message names neither the URL's path nor its query, which may be secret.
 */
export async function publicFetch(url: URL, request: PublicRequest): Promise<PublicAnswer> {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw unreachable(`${quote(url.protocol)} is not a protocol that is fetched; use https`);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const { address, family } = await checkedAddress(host, request);
  return await new Promise((resolve, reject) => {
    const { request: open } = url.protocol === 'https:' ? https : http;
    const timeout = AbortSignal.timeout(request.timeoutMs);
    const signal = request.signal === undefined ? timeout : AbortSignal.any([timeout, request.signal]);
    const fail = (error: unknown) =>
      reject(
        error instanceof PressmarkError
          ? error
          : unreachable(
              timeout.aborted
                ? `${host} did not answer within ${request.timeoutMs / 1_000} s`
                : `${host} could not be reached: ${messageOf(error)}`,
              error,
            ),
      );
    const sent = open(
      url,
      {
        method: request.method,
        agent: false,
        signal,
        headers: {
          'User-Agent': 'Pressmark',
          'Accept-Encoding': 'gzip, br',
          ...(request.body !== undefined && { 'Content-Length': Buffer.byteLength(request.body) }),
          ...request.headers,
        },
        lookup: (_, options, callback) => {
          if (options.all === true) callback(null, [{ address, family }]);
          else callback(null, address, family);
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          chunks.push(chunk);
          if (size > request.maxBytes) sent.destroy(tooLarge(host, request.maxBytes));
        });
        response.once('error', fail);
        response.once('end', () => {
          const { statusCode: status = 0, headersDistinct: headers } = response;
          decompressed(Buffer.concat(chunks), response.headers, request.maxBytes, host).then(
            (bytes) => resolve({ status, headers: { ...headers }, text: bytes.toString('utf8') }),
            fail,
          );
        });
      },
    );
    sent.once('error', fail);
    sent.end(request.body);
  });
}

/** The address that a request goes to. A name with one private address among others is refused as a whole. */
async function checkedAddress(
  host: string,
  { allowPrivate, resolve = systemResolver }: PublicRequest,
): Promise<{ address: string; family: number }> {
  const literal = net.isIP(host);
  let found: readonly { address: string; family: number }[];
  try {
    found = literal === 0 ? await resolve(host) : [{ address: host, family: literal }];
  } catch (error) {
    throw unreachable(`${host} could not be resolved: ${messageOf(error)}`, error);
  }
  const [first] = found;
  if (first === undefined) throw unreachable(`${host} has no address`);
  const inside = found.find(({ address }) => isPrivateAddress(address));
  if (!allowPrivate && inside !== undefined)
    throw unreachable(
      `${host} leads to ${inside.address}, which is not a public address; Pressmark does not connect to it`,
    );
  return first;
}

async function systemResolver(host: string): Promise<dns.LookupAddress[]> {
  return await dns.promises.lookup(host, { all: true });
}

const DECODERS = new Map([
  ['gzip', promisify(gunzip)],
  ['br', promisify(brotliDecompress)],
  ['deflate', promisify(inflate)],
]);

async function decompressed(
  bytes: Buffer,
  { 'content-encoding': encoding = '' }: http.IncomingHttpHeaders,
  maxBytes: number,
  host: string,
): Promise<Buffer> {
  const decode = DECODERS.get(encoding);
  if (decode === undefined) return bytes;
  try {
    return await decode(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(host, maxBytes);
    throw error;
  }
}

function tooLarge(host: string, maxBytes: number): PressmarkError {
  return unreachable(`the answer of ${host} is larger than ${maxBytes / 1_000_000} MB`);
}

function unreachable(message: string, cause?: unknown): PressmarkError {
  return new PressmarkError('UNREACHABLE', message, { cause });
}
