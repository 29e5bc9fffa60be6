import type { ArticleMapping, FileFacts } from '../../article/format/mapping.js';
import { quote } from '../../errors.js';
import { inferPermalink } from '../../generators/inspect/infer-pattern.js';
import { encodedAddress } from '../build/pages.js';

/** Where new articles go. */
export interface NewArticles {
  /** The settings `articles.file` and `articles.permalink`. */
  readonly patterns: { readonly file: string; readonly permalink: string };
  readonly timeZone: string | undefined;
  /** The address that `articles.permalink` gives to a slug and a date. */
  address(slug: string, date: string): string;
}

/** Keys by which a post has an address of its own, which says nothing of the others. */
const OWN_ADDRESS = ['slug', 'permalink', 'url'];

/**
 * Why new articles would not be where `articles.permalink` says: every post in their folder whose address is known is
 * elsewhere, and the generator follows rules of the site. Undefined where one post agrees, or none shows anything.
 *
 * @param addresses the listed addresses, by the posts' paths.
 */
export function contradictionOf(
  posts: readonly FileFacts[],
  addresses: ReadonlyMap<string, string>,
  mapping: ArticleMapping,
  { newArticles }: { readonly newArticles: NewArticles },
): string | undefined {
  const { patterns, timeZone } = newArticles;
  const [folder = ''] = /^(?:[^:]*\/)?/.exec(patterns.file) ?? [];
  const placed = posts.flatMap((post) => {
    const address = addresses.get(post.path);
    if (address === undefined || !post.path.startsWith(folder)) return [];
    if (OWN_ADDRESS.some((key) => Object.hasOwn(post.data, key))) return [];
    const date = post.data[mapping.keys.date];
    const text = date instanceof Date ? date.toISOString() : typeof date === 'string' ? date : '';
    return [{ path: post.path, address, slug: mapping.slug(post), date: text }];
  });
  const agrees = placed.some(
    ({ address, slug, date }) =>
      withoutSlash(encodedAddress(newArticles.address(slug, date))) === withoutSlash(address),
  );
  const inferred = inferPermalink(placed, timeZone);
  if (agrees || inferred === undefined) return undefined;
  return `articles.permalink is ${quote(patterns.permalink, 200)}, but all ${placed.length} posts in ${folder === '' ? 'the content folder' : folder} have other addresses, such as ${quote(placed[0]?.address, 200)}; set articles.permalink in the config to the site's rule, which seems to be ${quote(inferred.pattern, 200)}`;
}

function withoutSlash(address: string): string {
  return address.replace(/\/$/, '').toLowerCase();
}
