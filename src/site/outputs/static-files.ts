import type { SiteInfo } from '../../host/page-types.js';
import type { Hosting } from '../options.js';
import { ICON, type RenderContext } from '../render/render-context.js';
import { fixedOutput, type Output } from './output.js';

/** Hosts at GitHub's own addresses; the file CNAME names a domain of one's own. */
const OF_GITHUB = /\.github\.io$/i;

/** Every file for hosts, whatever the settings: an article must not take the address of one that comes later. */
const OF_HOSTS = ['robots.txt', '_headers', 'CNAME'];

/** The style sheet, the icon, the pictures and fonts of the theme, and what it has for the top of the site. */
export function themeFiles(context: () => RenderContext): Output {
  return { ...fixedOutput(['assets/', ICON], () => context().files), isAsset: true };
}

/**
 * `robots.txt`, and the files that static hosts want besides the site.
 *
 * @param hosts the hosts of the config.
 * @param policy the Content-Security-Policy of the config; false for none. Default: the theme's.
 */
export function hostFiles(
  site: SiteInfo,
  hosts: readonly Hosting[],
  context: () => RenderContext,
  policy?: string | false,
): Output {
  const files = new Map<string, () => string>();
  // Robots are asked about at a host's root alone.
  if (site.basePath === '') files.set('robots.txt', () => robots(site));
  if (hosts.includes('cloudflare-pages') || hosts.includes('netlify'))
    files.set('_headers', () => {
      const { theme } = context();
      return headers(site, theme.hashedFiles, policy ?? theme.policy);
    });
  if (hosts.includes('github-pages')) {
    files.set('.nojekyll', () => '');
    const { hostname } = new URL(site.url);
    if (site.basePath === '' && !OF_GITHUB.test(hostname)) files.set('CNAME', () => `${hostname}\n`);
  }
  return fixedOutput(OF_HOSTS, () => files);
}

function robots(site: SiteInfo): string {
  return `# Pressmark\nUser-agent: *\nAllow: /\n\nSitemap: ${site.url}/sitemap.xml\n`;
}

/**
 * What Cloudflare Pages and Netlify are to answer with; pages they have asked about each time by themselves. No
 * file falls under two rules that name the same header: Cloudflare would join the two.
 */
function headers({ basePath, search }: SiteInfo, hashed: readonly string[], policy: string | false): string {
  const kept = [...hashed, ...(search ? ['pagefind/fragment/*', 'pagefind/index/*'] : [])];
  const rules = kept.map(
    (path) => `${basePath}/${path}\n  Cache-Control: public, max-age=31536000, immutable\n`,
  );
  const secured = policy === false || policy === '' ? '' : `  Content-Security-Policy: ${policy}\n`;
  return `# Pressmark\n${basePath}/*\n  X-Content-Type-Options: nosniff\n${secured}${rules.join('')}`;
}
