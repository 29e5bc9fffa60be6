import { article, envelope, testData, update } from '../support/events.js';
import type { Random } from '../support/random.js';
import { SECRET, signature } from '../support/signer.js';

/** The largest body that a receiver reads (contract: Limits). */
const MAX_BODY_BYTES = 1_000_000;

/** A request as bytes on a connection, with what a check must know about it. */
export interface HostileRequest {
  /** See `HostileOptions`. */
  readonly mark: string;
  /** The buffers that are written to the socket, in order. */
  readonly writes: readonly Uint8Array[];
  /** The complete body, which the signature covers. */
  readonly body: Buffer;
  /** Whether head and framing are those of a valid delivery, so that the answer depends only on body and signature. */
  readonly isWellFramed: boolean;
  /** Whether the signature is right. */
  readonly isSigned: boolean;
  /** The mutations, for the log. */
  readonly what: string;
}

/** A stored article that updates and lookups can refer to. */
export interface KnownTarget {
  readonly id: string;
  readonly url: string;
  readonly revision: string;
}

/** Values that are invalid or unusual for most fields. */
const VALUES: readonly unknown[] = [
  ...[null, true, [], {}, [null], [[]], [''], [1, 'two'], { length: 3 }, { __proto__: null, toString: 1 }],
  ...[0, -1, 2, 1.5, 1e308, Number.MAX_SAFE_INTEGER + 2],
  ...['', ' ', '\0', '\r\n', 'a\u2028b', '\u202Egnp.exe', '\uFEFF', 'e\u0301', '---\nid: other\n---\n'],
  ...['x'.repeat(10_000), 'ä'.repeat(5_000), '\u{1F41D}'.repeat(200)],
  ...['2026-02-30T00:00:00Z', '9999-12-31T23:59:60Z', '-000001-01-01T00:00:00Z'],
  ...['javascript:alert(1)', 'http://u:p@host/', 'https://[::1', 'file:///etc/passwd'],
  'https://garden.example/articles/../../etc/passwd',
];

/** Slugs and ids with a meaning elsewhere: as path, device name, command-line option, template or file format. */
const NAMES: readonly string[] = [
  ...String.raw`. .. ../.. ../../outside /etc/passwd / \ ..\..\outside a/../../b ./a ~`.split(' '),
  ...'-rf --help con NUL aux.md index index.html page tags feed.xml .pressmark .git .git/config'.split(' '),
  ...'.env pressmark.config.json a.tmp %2e%2e%2f %00 __proto__ constructor # ?x=1 a#b $(id)'.split(' '),
  ...'a:b a*?<>|" ﬁ 𝔞 İ ß 日本語 عربي'.split(' '),
  ...['a\0b', 'a\nb', 'a'.repeat(300), '\u202Ea', '\u200B', '{{ 7*7 }}', '<%= 1 %>'],
];

/** JSON, or almost JSON, that JSON.stringify never writes. */
const RAW: readonly string[] = [
  ...`1e400 -1e400 -0 01 .5 +1 NaN undefined 'a' [1,] {"a":1,"a":2} {"__proto__":{"a":1}}`.split(' '),
  ...String.raw`"\ud800" "\udc00\ud800" "\u0000" "\x41" "\ud83d\ude00" /**/1`.split(' '),
  ...['"\t"', `1${'0'.repeat(5_000)}`, '['.repeat(100_000)],
  `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
];

/** A placeholder value, which is replaced by raw JSON after JSON.stringify. */
const PLACEHOLDER = 'place-of-raw-json';

export interface HostileOptions {
  /** A text in the title, the content and (of new articles) the id and slug, unless a mutation replaces them. */
  readonly mark: string;
  /** The article that updates and lookups refer to; undefined takes one that does not exist. */
  readonly target: KnownTarget | undefined;
  /** Whether the signature is right. */
  readonly isSigned: boolean;
  /** Whether no other request follows on the connection. */
  readonly isLast: boolean;
}

/** Makes a valid request and mutates its JSON, its bytes, its signature and its framing at random. */
export function hostileRequest(
  random: Random,
  { mark, target, isSigned, isLast }: HostileOptions,
): HostileRequest {
  const mutations: string[] = [];
  const published = 'article.published';
  const event = random.pick([published, published, 'article.updated', 'article.lookup', 'webhook.test']);
  const valid = envelope(event, dataOf(event, mark, target));
  if (random.chance(0.3)) {
    const data = valid.data as Record<string, unknown>;
    const field = random.pick(['slug', 'id', 'revision_id', 'target_id', 'title', 'author', 'published_at']);
    data[field] = random.pick([...NAMES, `${mark}/../${mark}`, `${mark}${random.pick(NAMES)}`]);
    mutations.push(`name ${field}`);
  }
  for (let count = random.pick([0, 0, 1, 1, 2, 4]); count > 0; count--) mutations.push(mutate(random, valid));
  let text = JSON.stringify(valid);
  if (text.includes(PLACEHOLDER)) text = text.replaceAll(`"${PLACEHOLDER}"`, () => random.pick(RAW));
  if (random.chance(0.1)) {
    const wrapped = [`\uFEFF${text}`, ` \n${text}\n`, `[${text}]`, `${text}${text}`, `${text},`];
    text = random.pick([...wrapped, '', 'null', '""', text.slice(1)]);
    mutations.push('wrapped');
  }
  let body: Buffer = Buffer.from(text);
  if (random.chance(0.15)) {
    body = mutateBytes(random, body);
    mutations.push('bytes');
  }
  if (random.chance(0.03)) {
    body = Buffer.concat([
      body,
      Buffer.alloc(random.pick([MAX_BODY_BYTES, MAX_BODY_BYTES - body.length, 3 * MAX_BODY_BYTES]), ' '),
    ]);
    mutations.push(`${body.length} bytes`);
  }
  return { mark, ...onTheWire(random, body, { isSigned, isLast }, mutations) };
}

function dataOf(event: string, mark: string, target: KnownTarget | undefined): unknown {
  const known = target ?? { id: mark, url: `https://garden.example/articles/${mark}/`, revision: mark };
  if (event === 'article.lookup') return { target_url: known.url };
  if (event === 'webhook.test') return testData();
  const texts = { title: `Title ${mark}`, content_html: `<p>${mark}</p>`, content_markdown: mark };
  if (event === 'article.published') return article({ id: mark, slug: mark, ...texts });
  const over = { target_id: known.id, target_url: known.url, base_revision_id: known.revision };
  return update(over, { id: mark, ...texts });
}

/** Replaces, removes or adds one value in the envelope or its data. @returns a description for the log. */
function mutate(random: Random, root: Record<string, unknown>): string {
  const data = root.data;
  const inData = typeof data === 'object' && data !== null && random.chance(0.8);
  const within = (inData ? data : root) as Record<string, unknown>;
  const key = random.pick([...Object.keys(within), 'extra']);
  const how = random.pick(['value', 'value', 'name', 'raw', 'remove', 'nest', 'type'] as const);
  if (how === 'remove') delete within[key];
  else if (how === 'value') within[key] = random.pick(VALUES);
  else if (how === 'name') within[key] = random.pick(NAMES);
  else if (how === 'raw') within[key] = PLACEHOLDER;
  else if (how === 'nest') within[key] = { [key]: within[key] };
  else within[key] = Array.isArray(within[key]) ? String(within[key]) : [within[key]];
  return `${how} ${key}`;
}

function mutateBytes(random: Random, body: Buffer): Buffer {
  let bytes: Buffer = Buffer.from(body);
  for (let count = random.integer(1, 6); count > 0; count--) {
    const at = random.integer(0, bytes.length + 1);
    const to = Math.min(bytes.length, at + random.integer(1, 40));
    const [before, part, after] = [bytes.subarray(0, at), bytes.subarray(at, to), bytes.subarray(to)];
    const how = random.pick(['flip', 'insert', 'delete', 'double', 'cut'] as const);
    if (how === 'flip' && at < bytes.length) bytes[at] = (bytes[at] ?? 0) ^ (1 << random.integer(0, 8));
    else if (how === 'insert')
      bytes = Buffer.concat([before, Buffer.of(random.integer(0, 256)), part, after]);
    else if (how === 'delete') bytes = Buffer.concat([before, after]);
    else if (how === 'double') bytes = Buffer.concat([before, part, part, after]);
    else if (how === 'cut') bytes = Buffer.from(before);
  }
  return bytes;
}

/** The header with the right signature, or headers with a wrong one or none. */
function signatureLines(random: Random, body: Buffer, isSigned: boolean): string[] {
  const right = signature(body);
  if (isSigned) return [`X-Service-Signature: ${right}`];
  return random.pick([
    [],
    ['X-Service-Signature:'],
    [`X-Service-Signature: ${right.slice(0, -1)}`],
    [`X-Service-Signature: ${right}0`],
    [`X-Service-Signature: ${right.slice('sha256='.length)}`],
    [`X-Service-Signature: sha256=${'0'.repeat(64)}`],
    [`X-Service-Signature: ${signature(body, `${SECRET}x`)}`],
    [`X-Service-Signature: ${signature(body, SECRET, 'sha512')}`],
    [`X-Service-Signature: sha1=${right.slice('sha256='.length)}`],
    [`X-Service-Signature: ${signature(Buffer.concat([body, Buffer.from(' ')]))}`],
    [`X-Service-Signature: sha256=${'é'.repeat(64)}`],
    [`X-Service-Signature: sha256=${'0'.repeat(64)}`, `X-Service-Signature: ${right}`],
  ]);
}

const FRAMINGS = [
  ...([
    'chunked',
    'chunked',
    'split',
    'too short',
    'too long',
    'cut',
    'bad chunks',
    'both',
    'no length',
  ] as const),
  ...(['method', 'path', 'headers', 'encoding', 'large head', 'expect', 'old', 'garbage'] as const),
];
const PATHS: readonly string[] = [
  ...'/webhook/ /webhook?x=1 /webhook// //webhook /webhook/../webhook /%77ebhook /WEBHOOK / * /healthz'.split(
    ' ',
  ),
  ...'/../../../etc/passwd /..%2f..%2fetc%2fpasswd /%00 /% /articles/%ff/ http://other.example/webhook'.split(
    ' ',
  ),
  `/${'a'.repeat(8_000)}`,
];
const METHODS = ['GET', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE', 'post', 'BREW'];
const HEADERS = [
  ...['X-Service-Contract: 3', 'X-Service-Contract: 2, 2', 'X-Service-Event: article.deleted'],
  ...['X-Service-Timestamp: never', 'Content-Type: text/plain', 'Host: a, b', 'Cookie: a=\xe9'],
  ...['X-Forwarded-For: ::1', 'Range: bytes=0-', 'Upgrade: h2c', ': no name', 'No colon', ' folded: x'],
];

/** Writes the request as HTTP, usually well-formed. */
function onTheWire(
  random: Random,
  body: Buffer,
  { isSigned, isLast }: Pick<HostileOptions, 'isSigned' | 'isLast'>,
  mutations: string[],
): Omit<HostileRequest, 'mark'> {
  if (!isSigned) mutations.push('not signed');
  const framing = random.chance(0.75) ? 'length' : random.pick(FRAMINGS);
  if (framing !== 'length') mutations.push(framing);

  const more: string[] = [];
  let [method, path, version] = ['POST', '/webhook', 'HTTP/1.1'];
  let length: string | undefined = `Content-Length: ${body.length}`;
  let sent: Buffer[] = [body];
  if (framing === 'chunked' || framing === 'bad chunks' || framing === 'both') {
    if (framing !== 'both') length = undefined;
    more.push('Transfer-Encoding: chunked');
    sent = chunked(random, body, framing === 'bad chunks');
  } else if (framing === 'split') sent = pieces(random, body);
  else if (framing === 'too short') length = `Content-Length: ${random.integer(0, body.length + 1)}`;
  else if (framing === 'too long')
    length = `Content-Length: ${body.length + random.integer(1, 2 * MAX_BODY_BYTES)}`;
  else if (framing === 'cut') sent = [body.subarray(0, random.integer(0, body.length + 1))];
  else if (framing === 'no length')
    length = random.pick([
      undefined,
      'Content-Length: -1',
      'Content-Length: 1e3',
      `Content-Length: ${'9'.repeat(30)}`,
    ]);
  else if (framing === 'method')
    // HEAD is answered with the length of a body and no body: the next answer of a pipeline would be read as that body.
    method = random.pick(isLast ? [...METHODS, 'HEAD'] : METHODS);
  else if (framing === 'path') path = random.pick(PATHS);
  else if (framing === 'headers') more.push(random.pick(HEADERS));
  else if (framing === 'encoding')
    more.push(`Content-Encoding: ${random.pick(['gzip', 'identity', 'br, gzip', ''])}`);
  else if (framing === 'large head')
    more.push(
      ...Array.from({ length: random.integer(1, 3_000) }, (_, n) => `X-${n}: ${'v'.repeat(n % 100)}`),
    );
  else if (framing === 'expect') more.push(`Expect: ${random.pick(['100-continue', '200-ok'])}`);
  else if (framing === 'old')
    version = random.pick(['HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/9.9', 'http/1.1']);
  const head = [
    `${method} ${path} ${version}`,
    'Host: 127.0.0.1',
    `Connection: ${isLast ? 'close' : 'keep-alive'}`,
    'Content-Type: application/json',
    ...signatureLines(random, body, isSigned),
    ...(length === undefined ? [] : [length]),
    ...more,
  ];
  const start =
    framing === 'garbage'
      ? mutateBytes(random, Buffer.from(head.join('\r\n')))
      : Buffer.from(head.join('\r\n'), 'latin1');
  return {
    writes: [Buffer.concat([start, Buffer.from('\r\n\r\n'), sent[0] ?? Buffer.alloc(0)]), ...sent.slice(1)],
    body,
    isWellFramed: ['length', 'chunked', 'split'].includes(framing),
    isSigned,
    what: mutations.join(', ') || 'valid',
  };
}

/** Splits a body into pieces of random lengths. */
function pieces(random: Random, body: Buffer): Buffer[] {
  const all: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const length = random.pick([1, 7, 100, 1_000, 65_536, body.length]);
    all.push(body.subarray(at, at + length));
    at += length;
    if (all.length > 200) return [...all, body.subarray(at)];
  }
  return all;
}

function chunked(random: Random, body: Buffer, badly: boolean): Buffer[] {
  const chunks = pieces(random, body).filter(({ length }) => length > 0);
  const all = chunks.map((piece) => {
    const size = piece.length.toString(16);
    const named =
      badly && random.chance(0.5)
        ? random.pick(['', '-1', 'g', `${size};x="${'y'.repeat(100)}"`, 'f'.repeat(20), `0x${size}`])
        : size;
    return Buffer.concat([Buffer.from(`${named}\r\n`), piece, Buffer.from('\r\n')]);
  });
  return badly && random.chance(0.3) ? all : [...all, Buffer.from('0\r\n\r\n')];
}
