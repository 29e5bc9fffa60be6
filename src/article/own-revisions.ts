import { randomBytes } from 'node:crypto';

/** The changes besides deliveries for which Pressmark makes a revision. */
export type OwnChange = 'patch' | 'state' | 'admin' | 'revert';

/**
 * Makes a new revision that contains its cause. A change of state keeps the text that a person wrote in the admin or restored,
 * so its revision keeps that cause too.
 *
 * @param before the previous revision.
 */
export function revisionFor(what: OwnChange, before = ''): string {
  const mark = what === 'state' && isOfPerson(before) ? 'admin-' : '';
  return `${mark}${what}-${randomBytes(12).toString('hex')}`;
}

/** The cause in a revision; undefined if Pressmark did not make it. */
export function changeOf(revision: string): OwnChange | undefined {
  const [, mark] = /^(patch|state|admin|revert|admin-state)-[0-9a-f]{24}$/.exec(revision) ?? [];
  if (mark === undefined) return undefined;
  return mark === 'admin-state' ? 'state' : (mark as OwnChange);
}

/** Whether the content at a revision is a person's, stored in the admin or restored. */
export function isOfPerson(revision: string): boolean {
  return /^(?:admin|admin-state|revert)-[0-9a-f]{24}$/.test(revision);
}

/** Whether an id belongs to an article that a person wrote in the admin: `admin-` and 16 hexadecimal digits. */
export function isPersonsId(id: string): boolean {
  return /^admin-[0-9a-f]{16}$/.test(id);
}

/** A person's part in an article's text: written from scratch, or edited after delivery. */
export type PersonsPart = 'written' | 'edited';

/** A person's part in an article's text, in its file or in the admin; undefined if it is unchanged. */
export function personsPart({
  article: { id, revision = '' },
  edited = false,
  digest,
}: {
  readonly article: { readonly id: string; readonly revision?: string };
  readonly edited?: boolean;
  readonly digest?: string | undefined;
}): PersonsPart | undefined {
  if (isPersonsId(id) || (edited && digest === undefined)) return 'written';
  return edited || isOfPerson(revision) ? 'edited' : undefined;
}
