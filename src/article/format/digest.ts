import { hash, randomBytes } from 'node:crypto';

const NO_DIGEST = `sha256-${'0'.repeat(64)}`;

/** Placeholders for a digest and a revision that are not known yet; no article contains them. */
const DIGEST_MARK = `sha256-${randomBytes(32).toString('hex')}`;
const REVISION_MARK = `rev-${randomBytes(12).toString('hex')}`;

/** `sha256-` and the hex digest of a text, with line ends as LF: a checkout with autocrlf is not an edit. */
export function digestOf(text: string): string {
  return `sha256-${hash('sha256', text.replaceAll('\r\n', '\n'))}`;
}

/** The revision of a file that a person has edited. */
export function editRevision(text: string): string {
  return `edit-${hash('sha256', text.replaceAll('\r\n', '\n')).slice(0, 32)}`;
}

/**
 * The digest of a file that contains this digest and this revision: the digest is replaced by zeros, and the revision is
 * removed.
 */
export function digestIn(text: string, digest: string, revision: string): string {
  return digestOf(text.replace(digest, NO_DIGEST).replace(revision, ''));
}

/** Writes a file's text with its digest. `write` puts a placeholder for the digest into the text. */
export function sealed(revision: string, write: (digest: string) => string): string {
  const text = write(DIGEST_MARK);
  return text.replace(DIGEST_MARK, digestIn(text, DIGEST_MARK, revision));
}

/** Writes a new file's text with its digest and its first revision, which is made from the digest. */
export function sealedFirst(write: (digest: string, revision: string) => string): {
  readonly text: string;
  readonly revision: string;
} {
  const text = write(DIGEST_MARK, REVISION_MARK);
  const digest = digestIn(text, DIGEST_MARK, REVISION_MARK);
  const revision = digest.replace('sha256', 'rev').slice(0, 28);
  return { text: text.replace(DIGEST_MARK, digest).replace(REVISION_MARK, revision), revision };
}
