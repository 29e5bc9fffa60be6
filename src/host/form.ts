import type { AdapterRequest } from './adapter.js';

/** A field of a form: a text, a file, or a list of these. */
export type FormField = string | File | readonly (string | File)[];

/**
 * The fields of a form, or of a query. A name that comes several times, or ends with `[]`, is a list.
 *
 * @param entries such as `request.query`.
 */
export function fieldsOf(entries: Iterable<[string, string | File]>): Readonly<Record<string, FormField>> {
  const fields = new Map<string, FormField>();
  for (const [given, value] of entries) {
    const name = given.replace(/\[\d*\]$/, '');
    const known = fields.get(name);
    if (known === undefined && name === given) fields.set(name, value);
    else fields.set(name, [...[known ?? []].flat(), value]);
  }
  return Object.fromEntries(fields);
}

/**
 * The fields of a request's form, `application/x-www-form-urlencoded` or `multipart/form-data`; undefined where its body is
 * something else. Throws where the form is malformed: in an adapter's `parse`, that is answered 400.
 */
export async function formIn({
  headers: { 'content-type': type = '' },
  body,
}: AdapterRequest): Promise<Readonly<Record<string, FormField>> | undefined> {
  if (!/^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(type)) return undefined;
  return fieldsOf(await new Response(body, { headers: { 'Content-Type': type } }).formData());
}
