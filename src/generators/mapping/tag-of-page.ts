/**
 * What two spellings of a tag have in common on a site that makes a page of each tag, at an address with the tag or its slug.
 * A slash, a dot segment, a control character, a text without a letter or a digit, or a name too long for a file breaks the
 * build or replaces another page. Hosts do not serve a folder whose name begins with a dot.
 *
 * @returns empty for a tag of which no page can be made.
 */
export function tagOfPage(tag: string): string {
  const name = tag.normalize('NFC').trim().replace(/\s+/g, ' ').toLowerCase();
  const isPage =
    /[\p{L}\p{N}]/u.test(name) &&
    !name.startsWith('.') &&
    !/[/\\\p{Cc}]|%[0-9a-f]{2}/iu.test(tag) &&
    Buffer.byteLength(name) <= 200;
  return isPage ? name.replaceAll(' ', '-') : '';
}
