import type { Settings } from '../../../config/load.js';
import { canonicalUrl } from '../../../contract/canonical-url.js';
import { PressmarkError } from '../../../errors.js';
import { contentOf } from '../../content/content.js';
import { type FileWithUrl, filesWithUrl, isElsewhere, refusalOf } from '../stored-urls.js';

/** One article that gets another URL. */
export interface PlannedMove {
  /** Below the site's folder. */
  readonly file: string;
  /** Below the content folder. */
  readonly path: string;
  readonly from: string;
  readonly to: string;
  /** The file as it is, and with the new URL. */
  readonly before: string;
  readonly after: string;
}

/**
 * Finds what a move of the site to another address changes. An article keeps its path below the site's address.
 *
 * @param to the new address, without a trailing slash.
 * @param from the old one, where the articles do not show it.
 * @throws PressmarkError USAGE if the old address is not clear, or two articles would get one URL;
 *   ARTICLE_UNREADABLE if a file cannot be rewritten.
 */
export function planMove(settings: Settings, to: string, from?: string): PlannedMove[] {
  const moved = { ...settings, siteUrl: to };
  const { format } = contentOf(moved);
  const files = [...filesWithUrl(moved)];
  const wanted = files.filter(({ stored }) =>
    from === undefined ? isElsewhere(stored, to) : isBelow(stored.url, from),
  );
  const base = from ?? oldAddress(wanted, settings.articles.permalink);
  const moves = wanted.map(({ file, path, text, stored }): PlannedMove => {
    const address = stored.address ?? stored.url.slice(base.length);
    const url = `${to}${address}`;
    try {
      return {
        file,
        path,
        from: stored.url,
        to: url,
        before: text,
        after: format.withStoredUrl(text, path, url),
      };
    } catch (error) {
      throw refusalOf(file, error);
    }
  });
  refuseClashes(files, moves);
  return moves.filter((move) => move.from !== move.to);
}

/**
 * The address below which these articles were published: their URLs without what the file pins or the permalink
 * pattern gives.
 */
function oldAddress(files: readonly FileWithUrl[], permalink: string): string {
  const pattern = permalinkEnd(permalink);
  const bases = new Set<string>();
  for (const {
    stored: { url, address },
  } of files) {
    if (address !== undefined) bases.add(url.slice(0, -address.length));
    else if (![...bases].some((base) => isBelow(url, base)))
      bases.add(pattern.exec(url)?.[1] ?? new URL(url).origin);
  }
  const [base = '', ...others] = bases;
  if (others.length === 0) return base;
  throw new PressmarkError(
    'USAGE',
    `the articles were published below ${bases.size} addresses: ${[...bases].slice(0, 5).join(', ')}; move those of one at a time, with --from <address>`,
  );
}

/** Matches a URL that ends as the permalink pattern says, and captures what is before. */
function permalinkEnd(permalink: string): RegExp {
  const parts = permalink
    .split(/:(slug|year|month|day)\b/)
    .map((part, index) => (index % 2 === 1 ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')));
  return new RegExp(`^(https?://[^?#]+?)${parts.join('')}$`);
}

function isBelow(url: string, base: string): boolean {
  return url === base || url.startsWith(`${base}/`);
}

function refuseClashes(files: readonly FileWithUrl[], moves: readonly PlannedMove[]): void {
  const target = new Map(moves.map(({ path, to }) => [path, to]));
  const taken = new Map<string, string>();
  for (const { path, file, stored } of files) {
    const url = target.get(path) ?? stored.url;
    const canonical = canonicalUrl(url) ?? url;
    const other = taken.get(canonical);
    if (other !== undefined && target.size > 0)
      throw new PressmarkError(
        'USAGE',
        `nothing was moved: ${other} and ${file} would both have the URL ${url}`,
      );
    taken.set(canonical, file);
  }
}
