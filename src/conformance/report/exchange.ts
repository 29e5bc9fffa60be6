import { sign } from '../../contract/signature.js';
import { excerpt } from '../expect.js';
import { shownUrl } from '../redact.js';
import type { Answer, Reply } from '../transport/probe.js';

/** A request and its answer. */
export interface Exchange {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly reply: Reply;
}

/** The longest body that is printed, in bytes. */
const LONGEST = 4000;

/**
 * Describes a request and its answer for a person, with a command that repeats the request. The command makes a right signature
 * again from the secret in PRESSMARK_SECRET, and reads a URL with secrets from RECEIVER_URL.
 *
 * @param redact removes secrets from a text; a command that it would change is left out.
 */
export function exchangeLines(
  { url, headers, body, reply }: Exchange,
  secret: string,
  redact: (text: string) => string,
): string[] {
  const right = sign(body, secret);
  const text = isShown(body) ? body.toString() : `(${body.length.toLocaleString('en')} bytes)`;
  const lines = Object.entries(headers).map(
    ([name, value]) => `${name}: ${value === right ? '(the right one)' : value}`,
  );
  const command = isShown(body) ? curl(url, headers, text, right) : undefined;
  return [
    ...labelled('request', [`POST ${shownUrl(url)}`, ...lines, '', text].map(redact)),
    ...labelled(
      'answer',
      (reply.kind === 'silence' ? [`none: ${reply.reason}`] : answerLines(reply)).map(redact),
    ),
    ...(command !== undefined && redact(command) === command ? labelled('repeat', [command]) : []),
  ];
}

function answerLines({ status, headers, text }: Answer): string[] {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`);
  return [String(status), ...lines, '', excerpt(text, LONGEST)];
}

/** Whether a body fits into a command: a text that is not too long. */
function isShown(body: Buffer): boolean {
  return body.length <= LONGEST && Buffer.from(body.toString()).equals(body);
}

function curl(url: URL, headers: Readonly<Record<string, string>>, body: string, right: string): string {
  const signed = `$(printf %s "$body" | openssl dgst -sha256 -hmac "$PRESSMARK_SECRET" -r | cut -d' ' -f1)`;
  const options = Object.entries(headers).map(([name, value]) => {
    if (value === right) return `-H "${name}: sha256=${signed}"`;
    return `-H ${quoted(value === '' ? `${name};` : `${name}: ${value}`)}`; // with a colon, curl omits an empty header
  });
  const to = shownUrl(url) === url.href ? quoted(url.href) : '"$RECEIVER_URL"';
  return `body=${quoted(body)}; printf %s "$body" | curl -i ${to} ${options.join(' ')} --data-binary @-`;
}

/** Quotes a text for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function labelled(label: string, lines: readonly string[]): string[] {
  return lines.map((line, n) => `    ${(n === 0 ? label : '').padEnd(9)} ${line}`.trimEnd());
}
