import { randomBytes } from 'node:crypto';

/** What Pressmark makes a revision for, other than a delivery. */
export type OwnChange = 'patch' | 'state' | 'admin' | 'revert';

/**
 * A new revision, which says what made it. Another state leaves the text that a person has written in the admin or has put
 * back, so its revision goes on saying so.
 *
 * @param before the revision that it follows.
 */
export function revisionFor(what: OwnChange, before = ''): string {
  const mark = what === 'state' && isOfPerson(before) ? 'admin-' : '';
  return `${mark}${what}-${randomBytes(12).toString('hex')}`;
}

/** What a revision was made for; undefined for one that Pressmark has not made. */
export function changeOf(revision: string): OwnChange | undefined {
  const [, mark] = /^(patch|state|admin|revert|admin-state)-[0-9a-f]{24}$/.exec(revision) ?? [];
  if (mark === undefined) return undefined;
  return mark === 'admin-state' ? 'state' : (mark as OwnChange);
}

/** Whether the content at a revision is what a person has stored in the admin, or has put back. */
export function isOfPerson(revision: string): boolean {
  return /^(?:admin|admin-state|revert)-[0-9a-f]{24}$/.test(revision);
}

/** Whether an id is that of an article which a person has written in the admin: `admin-` and 16 hexadecimal digits. */
export function isPersonsId(id: string): boolean {
  return /^admin-[0-9a-f]{16}$/.test(id);
}

/** What a person has done to an article's text: written it from nothing, or changed what came. */
export type PersonsPart = 'written' | 'edited';

/** What of an article's text is a person's, in its file or in the admin; undefined if it is as it came. */
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
