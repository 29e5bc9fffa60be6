import { createHmac } from 'node:crypto';

/** A common mistake in a receiver's expected signature. */
export interface SignatureForm {
  /** Ends the sentence "it is a signature …". */
  readonly what: string;
  /** The fix for a receiver that expects this form. */
  readonly fix: string;
  /** The header's value. @throws SyntaxError if the form needs JSON, and the body is not JSON. */
  readonly sign: (body: string, secret: string, timestamp: string) => string;
}

/** The fix for a receiver that signs a body that was parsed and written again. */
const RAW =
  'Read the raw bytes before anything parses them: request.get_data() (Flask), php://input (PHP), io.ReadAll(r.Body) (Go), request.raw_post (Rails), express.raw() (Node.js).';

const hmac = (text: string, secret: string | Buffer) => createHmac('sha256', secret).update(text);
const hex = (text: string, secret: string | Buffer) => `sha256=${hmac(text, secret).digest('hex')}`;
const rewritten =
  (write: (value: unknown) => string): SignatureForm['sign'] =>
  (body, secret) =>
    hex(write(JSON.parse(body)), secret);

/** The known forms. */
export const SIGNATURE_FORMS: readonly SignatureForm[] = [
  {
    what: 'made of the body as Python’s json.dumps writes it',
    fix: RAW,
    sign: rewritten((value) => jsonText(value, { comma: ', ', colon: ': ' })),
  },
  {
    what: 'made of the parsed body with its keys sorted',
    fix: RAW,
    sign: rewritten((value) => jsonText(value, { sorted: true })),
  },
  {
    what: 'made of the body as PHP’s json_encode writes it',
    fix: RAW,
    sign: rewritten((value) => jsonText(value, { slash: '\\/' })),
  },
  {
    what: 'made of the body with indentation',
    fix: RAW,
    sign: rewritten((value) => JSON.stringify(value, null, 2)),
  },
  {
    what: 'made of data only',
    fix: `The signature covers the whole body. ${RAW}`,
    sign: rewritten((value) =>
      JSON.stringify(typeof value === 'object' && value !== null && 'data' in value && value.data),
    ),
  },
  {
    what: 'made of the timestamp, a full stop and the body, as other services do it',
    fix: 'Sign only the body.',
    sign: (body, secret, timestamp) => hex(`${timestamp}.${body}`, secret),
  },
  {
    what: 'in capital hex digits',
    fix: 'Lowercase your own signature, or the header, before you compare.',
    sign: (body, secret) => `sha256=${hmac(body, secret).digest('hex').toUpperCase()}`,
  },
  {
    what: 'without sha256= before the digits',
    fix: 'Write sha256= before your own digits.',
    sign: (body, secret) => hmac(body, secret).digest('hex'),
  },
  {
    what: 'as base64',
    fix: 'Write the HMAC as hex.',
    sign: (body, secret) => `sha256=${hmac(body, secret).digest('base64')}`,
  },
  {
    what: 'made with a line end after the secret',
    fix: 'Trim the secret when you read it from a file or a variable.',
    sign: (body, secret) => hex(body, `${secret}\n`),
  },
  {
    what: 'made with the secret decoded from base64',
    fix: 'Use the characters of the secret, without decoding them.',
    sign: (body, secret) => hex(body, Buffer.from(secret, 'base64')),
  },
];

interface JsonStyle {
  readonly comma?: string;
  readonly colon?: string;
  readonly sorted?: boolean;
  /** The spelling of a slash. */
  readonly slash?: string;
}

/** Writes JSON as other languages do, with escapes instead of non-ASCII characters. */
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
