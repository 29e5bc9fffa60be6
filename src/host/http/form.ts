import type { IncomingHttpHeaders } from 'node:http';

/** The highest number of fields in a form. */
const MOST_FIELDS = 1_000;

/** A field of a form: a text, a file, or a list of these. */
export type FormField = string | File | readonly (string | File)[];

/** The fields of a form, or of a query. A name that is repeated, or ends with `[]`, gives a list. */
export function fieldsOf(entries: Iterable<[string, string | File]>): Readonly<Record<string, FormField>> {
  const fields = new Map<string, string | File | (string | File)[]>();
  for (const [given, value] of entries) {
    const name = given.replace(/\[\d*\]$/, '');
    const before = fields.get(name);
    if (Array.isArray(before)) before.push(value);
    else if (before !== undefined) fields.set(name, [before, value]);
    else fields.set(name, name === given ? value : [value]);
  }
  return Object.fromEntries(fields);
}

/**
 * The fields of a request's form, `application/x-www-form-urlencoded` or `multipart/form-data`; undefined if its body is
 * something else. Throws if the form is malformed or has more than 1,000 fields.
 */
export async function formIn({
  headers: { 'content-type': type = '' },
  body,
}: {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}): Promise<Readonly<Record<string, FormField>> | undefined> {
  const isEncoded = /^application\/x-www-form-urlencoded\b/i.test(type);
  if (!isEncoded && !/^multipart\/form-data\b/i.test(type)) return undefined;
  const refuseAbove = (count: number) => {
    if (count > MOST_FIELDS) throw new Error(`the form has more than ${MOST_FIELDS} fields`);
  };
  // Checked before parsing: a body of megabytes may consist of separators alone.
  if (isEncoded) refuseAbove(body.toString('latin1').split('&', MOST_FIELDS + 1).length);
  const entries = [...(await new Response(body, { headers: { 'Content-Type': type } }).formData())];
  refuseAbove(entries.length);
  return fieldsOf(entries);
}
