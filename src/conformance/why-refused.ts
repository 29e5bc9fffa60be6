import { createHmac } from 'node:crypto';
import { describe, isSuccess } from './expect.js';
import type { Answer } from './probe.js';
import type { Overrides } from './request.js';
import { testSample } from './samples.js';
import type { Session } from './session.js';

/** What a receiver may take in place of what the service sends, and what it then has to change. */
interface Guess {
  readonly overrides: Overrides;
  readonly fix: string;
}

const RAW =
  'Read the raw bytes before anything parses them: express.raw(), php://input, request.get_data(), io.ReadAll(r.Body), request.raw_post.';

/** Signs other bytes than those that are sent. */
const signing =
  (hmac: (body: string, secret: string, timestamp: string) => string) =>
  (secret: string): Overrides => {
    let sent = '';
    return {
      body: (json) => {
        sent = json;
        return json;
      },
      signature: () => hmac(sent, secret, String(Math.floor(Date.now() / 1000))),
    };
  };
const hex = (text: string, secret: string | Buffer) =>
  createHmac('sha256', secret).update(text).digest('hex');
const rewritten = (write: (value: unknown) => string) =>
  signing((body, secret) => `sha256=${hex(write(JSON.parse(body)), secret)}`);

/** The ways in which receivers get the signature wrong that the service's own cannot show. */
const SIGNATURES: readonly (readonly [string, (secret: string) => Overrides])[] = [
  [
    `It signs the body as Python’s json.dumps writes it. ${RAW}`,
    rewritten((value) => jsonText(value, { comma: ', ', colon: ': ' })),
  ],
  [
    `It signs the body with its keys sorted, as a parser gave them back. ${RAW}`,
    rewritten((value) => jsonText(value, { sorted: true })),
  ],
  [
    `It signs the body as PHP’s json_encode writes it. ${RAW}`,
    rewritten((value) => jsonText(value, { slash: '\\/' })),
  ],
  [`It signs the body with indentation. ${RAW}`, rewritten((value) => JSON.stringify(value, null, 2))],
  [
    `It signs data alone. The signature covers the whole body. ${RAW}`,
    rewritten((value) =>
      JSON.stringify(typeof value === 'object' && value !== null && 'data' in value && value.data),
    ),
  ],
  [
    'It signs the timestamp, a full stop and the body, as other services do. Here the body alone is signed.',
    signing((body, secret, timestamp) => `sha256=${hex(`${timestamp}.${body}`, secret)}`),
  ],
  [
    'It wants capital hex digits: lowercase your own, or the header, before you compare.',
    signing((body, secret) => `sha256=${hex(body, secret).toUpperCase()}`),
  ],
  ['It wants the digits without sha256= before them.', signing((body, secret) => hex(body, secret))],
  [
    'It wants base64: write the HMAC as hex.',
    signing((body, secret) => `sha256=${createHmac('sha256', secret).update(body).digest('base64')}`),
  ],
  [
    'Its secret ends with a line end: trim what you read from the file or the variable.',
    signing((body, secret) => `sha256=${hex(body, `${secret}\n`)}`),
  ],
  [
    'It decodes the secret from base64: use the characters of the secret as they are.',
    signing((body, secret) => `sha256=${hex(body, Buffer.from(secret, 'base64'))}`),
  ],
];

const NAMES: Guess = {
  overrides: { lowercase: true },
  fix: 'It finds the headers only if their names are in lower case. Look them up in any case.',
};

/** Why a receiver refuses a signature that is right, as far as it can be proven: it accepts a webhook.test with this one. */
export function whyNotSigned(session: Session, answer: Answer): Promise<string | undefined> {
  const page = /text\/html/i.test(answer.headers['content-type'] ?? '');
  if (page || /cloudflare|akamai|sucuri|imperva/i.test(String(answer.headers.server)))
    return Promise.resolve(
      'This answer comes from a firewall or a proxy before the receiver. Let signed POST requests to this path through.',
    );
  const { secret } = session.options;
  return proven(session, [
    NAMES,
    ...SIGNATURES.map(([fix, overrides]) => ({ fix, overrides: overrides(secret) })),
  ]);
}

/** Why a receiver refuses a request that is signed: by its status, or as far as it can be proven. */
export async function whyNotAccepted(session: Session, { status }: Answer): Promise<string | undefined> {
  if (status === 429)
    return 'It limits requests. Let those of the service through, or check it with a lower --rate.';
  if (status >= 500)
    return 'The receiver failed at this request: look at its log, and at that of the proxy before it.';
  return proven(session, [
    NAMES,
    {
      overrides: { envelope: { contract_version: 3 } },
      fix: 'It accepts contract_version 3. Requests carry 2 for receivers of every version; only answers say 3.',
    },
  ]);
}

async function proven(session: Session, guesses: readonly Guess[]): Promise<string | undefined> {
  for (const { overrides, fix } of guesses) {
    const reply = await session.reply('webhook.test', testSample(session.id('test')), {
      ...overrides,
      trial: true,
    });
    if (reply.kind === 'answer' && isSuccess(reply))
      return `${fix} (Proven: so sent, a test is answered ${describe(reply)}.)`;
  }
  return undefined;
}

interface JsonStyle {
  readonly comma?: string;
  readonly colon?: string;
  readonly sorted?: boolean;
  /** How a slash is written. */
  readonly slash?: string;
}

/** JSON as other languages write it: in ASCII. */
function jsonText(value: unknown, style: JsonStyle): string {
  const { comma = ',', colon = ':', sorted = false, slash = '/' } = style;
  if (Array.isArray(value)) return `[${value.map((one) => jsonText(one, style)).join(comma)}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    if (sorted) entries.sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, one]) => `${jsonText(key, style)}${colon}${jsonText(one, style)}`).join(comma)}}`;
  }
  return JSON.stringify(value)
    .replaceAll('/', slash)
    .replace(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
