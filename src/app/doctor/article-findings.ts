import type { Settings } from '../../config/load.js';
import { canonicalUrl } from '../../contract/canonical-url.js';
import { isReservedUrl } from '../../site/index/addresses.js';
import { siteInfoOf } from '../../site/render/site-info.js';
import type { Entry } from '../../store/catalog/entry.js';
import { malformedIn } from '../articles/article-list.js';
import { addressChange, addressChangeText } from '../articles/stored-urls.js';
import { contentOf } from '../content/content.js';
import { type Finding, fail, ok, warn } from './finding.js';

const about = 'articles';

/** Articles whose URLs are at an earlier address of the site. */
export async function addressFindings(settings: Settings, entries: readonly Entry[]): Promise<Finding[]> {
  if (settings.siteUrlIsGuess) return []; // the other finding on the site's URL says what to do
  const change = await addressChange(settings, contentOf(settings), entries);
  if (change === undefined) return [];
  const { text, fix } = addressChangeText(change, settings);
  return [fail('site URL', text, fix)];
}

/** Articles that are skipped, that nobody sees, or that are there twice. */
export function articleFindings(settings: Settings, entries: readonly Entry[]): Finding[] {
  const pinned = entries.filter(({ address }) => address?.kind !== 'unknown');
  const findings = [
    ...malformed(settings, entries),
    ...atReservedUrls(settings, entries),
    ...duplicates(entries, 'id', ({ id }) => id),
    ...duplicates(pinned, 'URL', ({ url }) => canonicalUrl(url) ?? url),
  ];
  if (findings.length > 0) return findings;
  return [ok(about, entries.length === 0 ? 'none yet' : `${entries.length}, each with a unique id and URL`)];
}

function malformed(settings: Settings, entries: readonly Entry[]): Finding[] {
  return malformedIn(settings, entries).map(({ file, reason, isUnread }) =>
    isUnread
      ? fail(
          about,
          `${file} cannot be read: ${reason}`,
          'let the user who runs Pressmark read the file, or restore it from git or a backup; until then the article is skipped',
        )
      : fail(
          about,
          `${file} is malformed, ${reason}`,
          'fix the front matter; until then the article is skipped',
        ),
  );
}

/** Articles at URLs that the site or the receiver needs, written by a person or an earlier version of Pressmark. */
function atReservedUrls(settings: Settings, entries: readonly Entry[]): Finding[] {
  const { reservedUrls } = contentOf(settings);
  const { site, siteUrl } = settings;
  const info = site === false ? undefined : siteInfoOf(siteUrl, { ...site, search: site.search !== false });
  const fix = 'give it another url in its front matter, and redirect the old one';
  return entries.flatMap(({ path, url, broken }): Finding[] => {
    if (broken !== undefined) return [];
    if (info !== undefined && isReservedUrl(url, info))
      return [fail(about, `${path} has no page: the site itself needs ${url}`, fix)];
    const canonical = canonicalUrl(url);
    if (canonical === undefined || !reservedUrls.has(canonical)) return [];
    const text = `${path} is not served by the receiver, which answers ${url} itself`;
    return [warn(about, text, `set another endpoint in the config, or ${fix}`)];
  });
}

function duplicates(entries: readonly Entry[], what: string, keyOf: (entry: Entry) => string): Finding[] {
  const paths = new Map<string, string[]>();
  for (const entry of entries) paths.set(keyOf(entry), [...(paths.get(keyOf(entry)) ?? []), entry.path]);
  return [...paths].flatMap(([key, same]) => {
    if (same.length < 2) return [];
    const text = `${same.length} files have the ${what} ${JSON.stringify(key.slice(0, 100))}: ${same.join(', ')}`;
    return [fail(about, text, `remove all but one, or give each file a unique ${what}`)];
  });
}
