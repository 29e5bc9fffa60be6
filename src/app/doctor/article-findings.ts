import type { Settings } from '../../config/load.js';
import { canonicalUrl } from '../../contract/canonical-url.js';
import { fileOf, isReservedUrl } from '../../site/index/addresses.js';
import { siteInfoOf } from '../../site/render/site-info.js';
import type { Entry } from '../../store/catalog/entry.js';
import { contentOf } from '../content/content.js';
import { type Finding, fail, ok, warn } from './finding.js';

const about = 'articles';

/** Articles that are not visible, that lookups cannot find, or that exist twice. Skipped articles are in the status. */
export function articleFindings(settings: Settings, entries: readonly Entry[]): Finding[] {
  const pinned = entries.filter(({ address }) => address?.kind !== 'unknown');
  const findings = [
    ...unreachable(settings, entries),
    ...duplicates(entries, 'id', ({ id }) => id),
    ...duplicates(pinned, 'URL', ({ url }) => canonicalUrl(url) ?? url),
  ];
  if (findings.length > 0 || entries.some(isMalformed)) return findings;
  return [ok(about, entries.length === 0 ? 'none yet' : `${entries.length}, each with a unique id and URL`)];
}

function isMalformed({ broken, isUnsupported = false }: Entry): boolean {
  return broken !== undefined && !isUnsupported;
}

/** Articles whose URLs are used by the site or the receiver, or cannot be requested. */
function unreachable(settings: Settings, entries: readonly Entry[]): Finding[] {
  const { reservedUrls } = contentOf(settings);
  const { site, siteUrl } = settings;
  const info = site === false ? undefined : siteInfoOf(siteUrl, { ...site, search: site.search !== false });
  const fix = 'give it another url in its front matter, and redirect the old one';
  return entries.flatMap(({ path, url, broken }): Finding[] => {
    if (broken !== undefined) return [];
    const canonical = canonicalUrl(url);
    if (canonical === undefined) return [fail(about, `no lookup finds ${path}: its URL is ${url}`, fix)];
    if (info !== undefined && isReservedUrl(url, info))
      return [fail(about, `${path} has no page: the site itself needs ${url}`, fix)];
    if (info !== undefined && url.startsWith(`${siteUrl}/`) && fileOf(url, info) === undefined)
      return [fail(about, `${path} has no page: no file can have the address ${url}`, fix)];
    if (!reservedUrls.has(canonical)) return [];
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
