import type { IncomingMessage } from 'node:http';
import readRawBody from 'raw-body';
import { PressmarkError } from '../../errors.js';
import type { ArticleEdits } from '../../host/articles/edits.js';
import { type FormField, formIn } from '../../host/http/form.js';
import { sameSecret } from '../../host/http/same-secret.js';

/** The most bytes of a form before somebody has logged in, and of one that is read by the thread that answers, … */
const SMALL_FORM = 20_000;
/** … and afterwards: an article of a megabyte, each byte written as three. */
const LARGE_FORM = 4_000_000;

/** The fields of a form. */
export type Form = Readonly<Record<string, FormField>>;

/**
 * Whether a form was sent from a page of the admin. Browsers send a header that says so; a client that sends none is not a
 * browser, so that no other site can have made it send the user's cookies.
 *
 * @param own where the browser has the admin.
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

/** A field that is one text; empty if it is missing. Line ends are those of files. */
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
 * Reads a form that may have an article in it.
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
