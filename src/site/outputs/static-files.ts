import type { SiteInfo } from '../../host/page-types.js';
import { fixedOutput, type Output } from './output.js';

/** Static hosts that want files of their own beside the site's. */
export type Hosting = 'cloudflare-pages' | 'github-pages' | 'netlify';

/** Hosts at GitHub's own addresses; a name of one's own is told by the file CNAME. */
const OF_GITHUB = /\.github\.io$/i;

/** Every file of this output, whatever the settings: an article must not take the address of one that comes later. */
const RESERVED = ['robots.txt', '_headers', 'CNAME'];

/**
 * `robots.txt`, and the files that static hosts want beside the site.
 *
 * @param hosts the hosts of the config.
 * @param hashed the files whose name holds a hash of their content, as they are now.
 */
export function staticFiles(
  site: SiteInfo,
  hosts: readonly Hosting[],
  hashed: () => readonly string[],
): Output {
  const files = new Map<string, () => string>();
  // Robots are asked about at a host's root alone.
  if (site.basePath === '') files.set('robots.txt', () => robots(site));
  if (hosts.includes('cloudflare-pages') || hosts.includes('netlify'))
    files.set('_headers', () => headers(site, hashed()));
  if (hosts.includes('github-pages')) {
    files.set('.nojekyll', () => '');
    const { hostname } = new URL(site.url);
    if (site.basePath === '' && !OF_GITHUB.test(hostname)) files.set('CNAME', () => `${hostname}\n`);
  }
  return fixedOutput(RESERVED, () => files);
}

function robots(site: SiteInfo): string {
  return `# Pressmark\nUser-agent: *\nAllow: /\n\nSitemap: ${site.url}/sitemap.xml\n`;
}

/**
 * What Cloudflare Pages and Netlify are to answer with; pages they have asked about each time by themselves. No
 * file falls under two rules that name the same header: Cloudflare would join the two.
 */
function headers({ basePath, search }: SiteInfo, hashed: readonly string[]): string {
  const kept = [...hashed, ...(search ? ['pagefind/fragment/*', 'pagefind/index/*'] : [])];
  const rules = kept.map(
    (path) => `${basePath}/${path}\n  Cache-Control: public, max-age=31536000, immutable\n`,
  );
  return `# Pressmark\n${basePath}/*\n  X-Content-Type-Options: nosniff\n${rules.join('')}`;
}
