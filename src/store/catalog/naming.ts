import { numbered, slugOf } from '../../article/address/slug.js';
import type { ArticleDraft } from '../../article/article.js';
import { canonicalUrl } from '../../contract/canonical-url.js';
import { PressmarkError } from '../../errors.js';
import { type Catalog, lastSegment } from './catalog.js';
import { type ContentFolder, isReserved } from './content-folder.js';
import { catalogId } from './entry.js';

/** A slug with its path and URL, reserved for one new article until `release`. */
export interface Name {
  readonly slug: string;
  /** The path below the content folder, with forward slashes. */
  readonly path: string;
  /** Absolute public URL. */
  readonly url: string;
  release(): void;
}

/** How many numbers are tried if the server answers a slug's URLs itself; after that, the slug is not the cause. */
const MOST_RESERVED = 100;

/**
 * Chooses names for new articles: a slug whose file and URL are both free, with a number if the suggestion is taken. Names of
 * articles that are being written or are in the trash count as taken.
 *
 * It does not read the content folder: writing a new file never replaces another one, and if that fails because of an unknown
 * file, the caller asks again with that path in `taken`.
 *
 * @returns a function that throws PressmarkError PERMALINK_WRONG if the site has another permalink rule, or if a plugin answers
 *   all URLs of the rule.
 */
export function createNaming(
  content: ContentFolder,
  catalog: Catalog,
  trash: { keeps(url: string, path: string, id: string): boolean },
): (draft: ArticleDraft, extension: string, taken: ReadonlySet<string>) => Name {
  const { layout, format, refusal } = content;
  const inUse = new Set<string>();
  /** The last number of each repeated name, by its path and URL without one, so that the search does not start at 1 again. */
  const nextNumber = new Map<string, number>();

  function isInUse(path: string, url: string): boolean {
    if (inUse.has(path) || inUse.has(url)) return true;
    return !format.hasCertainUrls && format.namesakes(path).some((other) => inUse.has(other));
  }

  function isTaken(path: string, url: string, id: string): boolean {
    if (catalog.get(path) !== undefined || catalog.byUrl(url).length > 0) return true;
    if (trash.keeps(url, path, catalogId(id))) return true;
    if (format.hasCertainUrls) return false;
    // A file whose URL is unknown may have this one.
    return (
      catalog.unresolved(lastSegment(url)).length > 0 ||
      format.namesakes(path).some((other) => catalog.get(other) !== undefined)
    );
  }

  return (draft, extension, taken) => {
    const reason = refusal();
    if (reason !== undefined) throw new PressmarkError('PERMALINK_WRONG', reason);
    const suggestion = slugOf(draft.slug, draft.title, draft.id);
    // Not by the slug alone, which may be free in the folder or at the URL of another date.
    const name = `${layout.path(suggestion, draft.date)} ${layout.url(suggestion, draft.date)}`;
    let reserved = 0;
    for (let n = nextNumber.get(name) ?? 1; ; n++) {
      const slug = numbered(suggestion, n);
      const path = layout.path(slug, draft.date).replace(/\.\w+$/, extension);
      const url = layout.url(slug, draft.date);
      const canonical = canonicalUrl(url) ?? url;
      if (isReserved(content, canonical)) {
        if (++reserved < MOST_RESERVED) continue;
        const what = `a new article would have the URL ${url}, and a plugin answers all URLs there`;
        throw new PressmarkError('PERMALINK_WRONG', `${what}; give its adapter another path`);
      }
      if (taken.has(path) || isInUse(path, canonical) || isTaken(path, canonical, draft.id)) continue;
      if (n > 1) nextNumber.set(name, n);
      inUse.add(path).add(canonical);
      const release = () => {
        inUse.delete(path);
        inUse.delete(canonical);
      };
      return { slug, path, url, release };
    }
  };
}
