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
 * A text of the owner's besides articles: a page in `pages/`, or the description of a tag or an author in `tags/<slug>.md` or
 * `authors/<slug>.md`.
 */
export interface OwnerText extends StandalonePage {
  /** The path below the content folder. */
  readonly path: string;
  readonly fingerprint: Fingerprint;
}

/** The description of a tag or an author. */
const TERM_TEXT = /^(?:tags|authors)\/[^/]+\.md$/;

/** Whether a path below the content folder is an `OwnerText`'s. */
export function isOwnerTextPath(path: string): boolean {
  const isText = TERM_TEXT.test(path) || addressOfPage(path) !== undefined;
  return isText && path.split('/').every(isWatchedName);
}

/** Returns the path of the file that describes a term, by the term's address, such as `/tags/soil/`. */
export function termTextPathOf(address: string): string {
  return `${address.slice(1, -1)}.md`;
}

/** Returns the address of a page by its file: `/about/` for `pages/about.md`; undefined for other files. */
export function addressOfPage(path: string): string | undefined {
  return path.startsWith('pages/') && path.endsWith('.md')
    ? path.slice('pages'.length, -'.md'.length).concat('/')
    : undefined;
}

/** Makes the links to pages with `navigation: true` or `navigation: Label` in their front matter, sorted by `order`. */
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

/** Lists the paths of all owner's texts below the content folder. */
export function ownerTextPathsIn(content: ContentFolder): string[] {
  return ['pages', 'tags', 'authors']
    .flatMap((folder) =>
      [...entriesBelow(join(content.root, folder)).keys()].map((name) => `${folder}/${name}`),
    )
    .filter(isOwnerTextPath);
}

/**
 * Reads an owner's text.
 *
 * @param known the last result, which is returned if the file is unchanged.
 * @param markdown renders the text. @default without plugins' extensions
 * @returns undefined if the file is gone.
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
    // In the form of the saved state, in which `.inf` is null.
    const extra: StandalonePage['extra'] = JSON.parse(JSON.stringify(article.extra));
    // Without a title, the format uses the file's name, but a term has its own name.
    const isNameless = TERM_TEXT.test(path) && article.title === posix.basename(path, '.md');
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
