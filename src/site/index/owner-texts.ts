import fs from 'node:fs';
import { join, posix } from 'node:path';
import { renderedHtml } from '../../article/stored-article.js';
import { isGone } from '../../errors.js';
import { entriesBelow } from '../../fs/files-below.js';
import { type Fingerprint, fingerprintOf, sameFingerprint } from '../../fs/fingerprint.js';
import type { SiteLink, StandalonePage } from '../../host/pages/page-types.js';
import type { ContentFolder } from '../../store/catalog/content-folder.js';
import { isWatchedName } from '../../store/catalog/scan.js';

/**
 * What the owner wrote besides articles: a page in `pages/`, or of a tag or an author in `tags/<slug>.md` or
 * `authors/<slug>.md`. An entry of the index.
 */
export interface OwnerText extends StandalonePage {
  /** Below the content folder. */
  readonly path: string;
  readonly fingerprint: Fingerprint;
}

const TERM_TEXT = /^(?:tags|authors)\/[^/]+\.md$/;

/** Whether a path below the content folder is that of a text on a tag or an author. */
function isTermTextPath(path: string): boolean {
  return TERM_TEXT.test(path) && path.split('/').every(isWatchedName);
}

/** Whether a path below the content folder is that of an `OwnerText`. */
export function isOwnerTextPath(path: string): boolean {
  return isTermTextPath(path) || addressOfPage(path) !== undefined;
}

/** The path of the file that describes the term with this address, such as `/tags/soil/`. */
export function termTextPathOf(address: string): string {
  return `${address.slice(1, -1)}.md`;
}

/** The address of the page in a file: `/about/` for `pages/about.md`; undefined for the path of another file. */
export function addressOfPage(path: string): string | undefined {
  return path.startsWith('pages/') && path.endsWith('.md')
    ? path.slice('pages'.length, -'.md'.length).concat('/')
    : undefined;
}

/** The links of the pages whose front matter has `navigation: true`, or `navigation: Label`; `order` sorts them. */
export function navigationOf(texts: Iterable<OwnerText>): readonly SiteLink[] {
  const links = [...texts].flatMap(({ path, title, extra: { navigation, order } }) => {
    const href = addressOfPage(path);
    const label = navigation === true ? title : navigation;
    if (href === undefined || typeof label !== 'string' || label === '') return [];
    return { path, order: Number(order ?? 0) || 0, link: { label, href } };
  });
  links.sort((a, b) => a.order - b.order || (a.path < b.path ? -1 : 1));
  return links.map(({ link }) => link);
}

/** The paths of all such files below the content folder. */
export function ownerTextPathsIn(content: ContentFolder): string[] {
  return ['pages', 'tags', 'authors']
    .flatMap((folder) => markdownIn(content, folder))
    .filter(isOwnerTextPath);
}

/**
 * Reads such a file.
 *
 * @param known what was read of it last, which is returned where the file is still the same.
 * @param markdown renders it. @default without what plugins add
 * @returns undefined if it is gone.
 * @throws PressmarkError FRONT_MATTER_INVALID; or the system's error.
 */
export function readOwnerText(
  { root, format }: ContentFolder,
  path: string,
  known: OwnerText | undefined,
  markdown?: (text: string) => string,
): OwnerText | undefined {
  try {
    const fingerprint = fingerprintOf(fs.statSync(join(root, path)));
    if (known !== undefined && sameFingerprint(known.fingerprint, fingerprint)) return known;
    const stored = format.decode(fs.readFileSync(join(root, path), 'utf8'), path);
    const { article } = stored;
    // As it comes back from the saved state, where `.inf` is null.
    const extra: StandalonePage['extra'] = JSON.parse(JSON.stringify(article.extra));
    // The format gives a file without a title its name; a term has one of its own.
    const isNameless = isTermTextPath(path) && article.title === posix.basename(path, '.md');
    const title = isNameless ? '' : article.title;
    return {
      path,
      fingerprint,
      title,
      description: article.description,
      html: renderedHtml(stored, markdown),
      toc: [],
      extra,
    };
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** The Markdown files below a folder of the content folder, which need not exist. */
function markdownIn({ root }: ContentFolder, folder: string): string[] {
  return [...entriesBelow(join(root, folder)).keys()]
    .filter((name) => name.endsWith('.md') && name.split('/').every(isWatchedName))
    .map((name) => `${folder}/${name}`);
}
