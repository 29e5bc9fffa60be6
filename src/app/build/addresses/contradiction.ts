import type { FileFacts } from '../../../article/format/mapping.js';
import type { Settings } from '../../../config/load.js';
import { encodedAddress } from '../../../deploy/build/pages.js';
import { quote } from '../../../errors.js';
import { inferPermalink } from '../../../generators/inspect/infer-pattern.js';
import { dateOf } from '../../../generators/inspect/site-posts.js';
import { layoutOf, type SiteGenerator } from '../../content/content.js';

/** Keys that give a post its own address, which does not show the site's rule. */
const OWN_ADDRESS = ['slug', 'permalink', 'url'];

/**
 * The reason why `articles.permalink` seems wrong: all known addresses of posts in the folder of new articles contradict it.
 * Undefined if one post agrees, or no pattern fits them.
 *
 * @param addresses the listed addresses, by the posts' paths.
 */
export function contradictionOf(
  posts: readonly FileFacts[],
  addresses: ReadonlyMap<string, string>,
  settings: Pick<Settings, 'siteUrl' | 'articles'>,
  { mapping, options: { timeZone } }: SiteGenerator,
): string | undefined {
  const { file, permalink } = settings.articles;
  const layout = layoutOf(settings, timeZone);
  const [folder = ''] = /^(?:[^:]*\/)?/.exec(file) ?? [];
  const placed = posts.flatMap((post) => {
    const address = addresses.get(post.path);
    if (address === undefined || !post.path.startsWith(folder)) return [];
    if (OWN_ADDRESS.some((key) => Object.hasOwn(post.data, key))) return [];
    const date = dateOf(post.data, post.path, mapping.keys.date) ?? '';
    // Without a date, the address of a post cannot be predicted.
    if (date === '' && /:(?:year|month|day)\b/.test(permalink)) return [];
    return [{ path: post.path, address, slug: mapping.slug(post), date }];
  });
  const agrees = placed.some(({ address, slug, date }) =>
    // Some generators take the day in the site's time zone, others as it is written.
    [date, date.slice(0, 10)].some((day) => {
      const expected = layout.url(slug, day).slice(settings.siteUrl.length);
      return comparable(encodedAddress(expected)) === comparable(address);
    }),
  );
  const inferred = inferPermalink(placed, timeZone);
  if (agrees || inferred === undefined) return undefined;
  return `articles.permalink is ${quote(permalink, 200)}, but all ${placed.length} posts in ${folder === '' ? 'the content folder' : folder} have other addresses, such as ${quote(placed[0]?.address, 200)}; set articles.permalink in the config to the site's rule, which seems to be ${quote(inferred.pattern, 200)}`;
}

function comparable(address: string): string {
  return address.replace(/\/$/, '').toLowerCase();
}
