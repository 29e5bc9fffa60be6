import type { IncomingMessage } from 'node:http';
import readRawBody from 'raw-body';
import { PressmarkError } from '../../errors.js';
import type { ArticleEdits } from '../../host/articles/edits.js';
import { sameSecret } from '../../host/http/accounts.js';
import { type FormField, formIn } from '../../host/http/form.js';

/** The largest form before login, and the largest one that the answering thread reads, in bytes, … */
const SMALL_FORM = 20_000;
/** … and the largest one after login: an article of a megabyte with each byte escaped as three. */
const LARGE_FORM = 4_000_000;

/** The fields of a form. */
export type Form = Readonly<Record<string, FormField>>;

/**
 * Whether a form was sent from a page of the admin, by the headers that browsers send. A client without them is not a browser,
 * so no other site can have made it send the user's cookies.
 *
 * @param own the admin's origin in the browser.
 */
export function isFromOwnPage({ headers }: Pick<IncomingMessage, 'headers'>, own: string): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  return origin === undefined || (URL.canParse(origin) && new URL(origin).origin === new URL(own).origin);
}

/** Whether a form has the token of the session. */
export function hasToken(form: Form, token: string): boolean {
  return sameSecret(fieldOf(form, 'token'), token);
}

/** A text field; empty if it is missing. Line endings are normalised to `\n`. */
export function fieldOf(form: Form, name: string): string {
  const value = Object.hasOwn(form, name) ? form[name] : undefined;
  return typeof value === 'string' ? value.replaceAll('\r\n', '\n') : '';
}

/**
 * Reads a form of at most `SMALL_FORM` bytes.
 *
 * @throws PressmarkError BODY_TOO_LARGE, BODY_INVALID
 */
export async function readForm(request: IncomingMessage): Promise<Form> {
  return smallForm(request, await bytesOf(request, SMALL_FORM));
}

/**
 * Reads a form that may hold an article.
 *
 * @throws PressmarkError BODY_TOO_LARGE, BODY_INVALID; what `formFields` throws.
 */
export async function readLargeForm(
  request: IncomingMessage,
  { formFields }: Pick<ArticleEdits, 'formFields'>,
): Promise<Form> {
  const body = await bytesOf(request, LARGE_FORM);
  if (body.length <= SMALL_FORM) return smallForm(request, body);
  return formFields(request.headers['content-type'] ?? '', body);
}

async function smallForm({ headers }: IncomingMessage, body: Buffer): Promise<Form> {
  try {
    const form = await formIn({ headers, body });
    if (form !== undefined) return form;
  } catch (cause) {
    throw new PressmarkError('BODY_INVALID', 'the form cannot be read', { cause });
  }
  throw new PressmarkError('BODY_INVALID', 'the body is not a form');
}

async function bytesOf(request: IncomingMessage, limit: number): Promise<Buffer> {
  try {
    return await readRawBody(request, { length: request.headers['content-length'] ?? null, limit });
  } catch (cause) {
    if (!(cause instanceof Error && 'type' in cause)) throw cause;
    throw cause.type === 'entity.too.large'
      ? new PressmarkError('BODY_TOO_LARGE', `a form has at most ${limit} bytes; shorten the text`)
      : new PressmarkError('BODY_ABORTED', 'the form did not arrive whole; send it again');
  }
}
