import dns from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { messageOf, PressmarkError, quote } from '../../errors.js';

/** A request to somebody else's page. */
export interface PublicRequest {
  /** @default 'GET' */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | URLSearchParams;
  readonly signal?: AbortSignal;
  /** The longest accepted body. @default 1,000,000 */
  readonly maxBytes?: number;
  /** For the whole request, redirects included. @default 20,000 */
  readonly timeoutMs?: number;
  /** Whether an IP address may be connected to. @default `isPublicAddress` */
  readonly isAllowed?: (address: string) => boolean;
}

/** The answer to a request. */
export interface PublicAnswer {
  /** The address at the end of all redirects. */
  readonly url: string;
  readonly status: number;
  /** Names in lower case; values of a repeated name are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const MOST_REDIRECTS = 5;

/** Networks that are not part of the public internet, or lead out of it (RFC 6890). */
const PRIVATE = new BlockList();
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  PRIVATE.addSubnet(net, prefix, 'ipv4');

/** All public IPv6 addresses, apart from those that map to other networks. */
const PUBLIC_6 = new BlockList();
PUBLIC_6.addSubnet('2000::', 3, 'ipv6');
for (const [net, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  PRIVATE.addSubnet(net, prefix, 'ipv6');

/** Whether an IP address belongs to the public internet. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !PRIVATE.check(address, 'ipv4');
  return family === 6 && PUBLIC_6.check(address, 'ipv6') && !PRIVATE.check(address, 'ipv6');
}

/**
 * Fetches an address that comes from outside, such as a link or an image in an article. Unlike `fetch`, it never reaches the
 * receiver's own network, whatever the name resolves to and wherever redirects lead, and the size of the answer is limited. GET
 * and HEAD follow up to five redirects; another origin only gets the headers `Accept`, `Accept-Language` and `User-Agent`.
 *
 * @throws PressmarkError USAGE if the address is not allowed; UNREACHABLE if there is no complete answer in time.
 */
export async function fetchPublic(address: string, request: PublicRequest = {}): Promise<PublicAnswer> {
  const { method = 'GET', signal, timeoutMs = 20_000 } = request;
  const end = AbortSignal.timeout(timeoutMs);
  let limited = { ...request, signal: signal === undefined ? end : AbortSignal.any([signal, end]) };
  let url = checkedUrl(address);
  for (let redirects = 0; ; redirects++) {
    const answer = await ask(url, limited);
    const { location } = answer.headers;
    const isRedirect = [301, 302, 303, 307, 308].includes(answer.status) && location !== undefined;
    if (!isRedirect || (method !== 'GET' && method !== 'HEAD')) return answer;
    if (redirects === MOST_REDIRECTS)
      throw new PressmarkError(
        'UNREACHABLE',
        `${quote(address)} redirects more than ${MOST_REDIRECTS} times`,
      );
    const next = checkedUrl(location, url);
    if (next.origin !== url.origin) limited = { ...limited, headers: forStrangers(limited.headers) };
    url = next;
  }
}

/** The headers for another origin, without credentials. */
function forStrangers(headers: PublicRequest['headers'] = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => /^(?:accept(?:-language)?|user-agent)$/i.test(name)),
  );
}

function checkedUrl(address: string, base?: URL): URL {
  const url = URL.canParse(address, base?.href) ? new URL(address, base) : undefined;
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url === undefined || !isWeb || url.username !== '' || url.password !== '')
    throw new PressmarkError('USAGE', `${quote(address)} is not an http(s) URL without a password`);
  return url;
}

function ask(url: URL, request: PublicRequest): Promise<PublicAnswer> {
  const {
    method = 'GET',
    headers,
    body,
    signal,
    maxBytes = 1_000_000,
    isAllowed = isPublicAddress,
  } = request;
  const refusal = (ip: string) =>
    new PressmarkError('USAGE', `${quote(url.href)} is at ${ip}, which is not on the public internet`);
  const failure = (why: string, cause?: unknown) =>
    new PressmarkError('UNREACHABLE', `${quote(url.href)} cannot be read: ${why}`, { cause });
  // Connect to the address that was checked: the name may resolve to another one next time.
  const lookup: LookupFunction = (name, options, callback) =>
    dns.lookup(name, { ...options, all: true }, (error, found) => {
      const addresses = found ?? [];
      const refused = addresses.find(({ address }) => !isAllowed(address));
      const [first] = addresses;
      if (error !== null || first === undefined) callback(error, '', 0);
      else if (refused !== undefined) callback(refusal(refused.address), '', 0);
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal) !== 0 && !isAllowed(literal)) return Promise.reject(refusal(literal));
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) =>
      reject(error instanceof PressmarkError ? error : failure(messageOf(error), error));
    const { request: send } = url.protocol === 'https:' ? https : http;
    const sent = send(url, {
      method,
      lookup,
      agent: false,
      headers: {
        'Accept-Encoding': 'identity',
        'User-Agent': 'pressmark',
        ...(body instanceof URLSearchParams && { 'Content-Type': 'application/x-www-form-urlencoded' }),
        ...headers,
      },
      ...(signal !== undefined && { signal }),
    });
    sent.on('error', fail).on('response', (response) => {
      const chunks: Buffer[] = [];
      let length = 0;
      response.on('error', fail).on('aborted', () => fail(new Error('the answer ended too early')));
      response.on('data', (chunk: Buffer) => {
        length += chunk.length;
        chunks.push(chunk);
        if (length <= maxBytes) return;
        fail(failure(`it has more than ${maxBytes} bytes`));
        sent.destroy();
      });
      response.on('end', () => {
        const { statusCode: status = 0, headersDistinct } = response;
        const all = Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(', ')]);
        resolve({ url: url.href, status, headers: Object.fromEntries(all), body: Buffer.concat(chunks) });
      });
    });
    sent.end(body instanceof URLSearchParams ? body.toString() : body);
  });
}
