import fs from 'node:fs';
import { join } from 'node:path';
import type { SiteInfo } from '../../host/pages/page-types.js';
import type { Log } from '../../log.js';
import type { Hosting } from '../options.js';
import { publicFilesIn } from '../render/theme.js';
import { cacheKey, type Planner, type Sources } from './planner.js';

/** Hosts at GitHub's own addresses; the file CNAME names a domain of one's own. */
const OF_GITHUB = /\.github\.io$/i;

/** The style sheet, the icon, the pictures and fonts of the theme, and what it has for the top of the site. */
export const themeFiles: Planner = ({ renderer: { files, key } }) =>
  [...files].map(([path, render]) => ({ path, key: cacheKey(key), render }));

/** Whether the owner, or the theme, has a file of this name that stands in place of an article's page. */
export function isOwnFile(file: string, staticDir: string, { renderer }: Pick<Sources, 'renderer'>): boolean {
  return renderer.files.has(file) || fs.existsSync(join(staticDir, file));
}

/**
 * The owner's own files, which go to the site as they are. They stand in place of files of the site's own.
 *
 * @param folder absolute; it need not exist.
 */
export function staticFiles(folder: string, log: Log): Planner {
  const warnedOf = new Set<string>();

  function warnOf(link: string): void {
    if (warnedOf.has(link)) return;
    warnedOf.add(link);
    log.warn(
      { link },
      'a symbolic link in static/ is left out of the site: it leads out of that folder; put the file itself there',
    );
  }

  return () =>
    publicFilesIn(folder, warnOf).map((path) => {
      const file = join(folder, path);
      const { size, mtimeMs, ino } = fs.statSync(file);
      return { path, key: cacheKey(`${ino} ${size} ${mtimeMs}`), render: () => fs.readFileSync(file) };
    });
}

/**
 * `robots.txt`, and the files that static hosts want besides the site.
 *
 * @param hosts the hosts of the config.
 * @param policy the Content-Security-Policy of the config; false for none. Default: the theme's.
 */
export function hostFiles(site: SiteInfo, hosts: readonly Hosting[], policy?: string | false): Planner {
  return ({ renderer: { key, theme } }) => {
    const files = new Map<string, string>();
    // Robots are asked about at a host's root alone.
    if (site.basePath === '') files.set('robots.txt', robots(site));
    if (hosts.includes('cloudflare-pages') || hosts.includes('netlify'))
      files.set('_headers', headers(site, theme.hashedFiles, policy ?? theme.policy));
    if (hosts.includes('github-pages')) {
      files.set('.nojekyll', '');
      const { hostname } = new URL(site.url);
      if (site.basePath === '' && !OF_GITHUB.test(hostname)) files.set('CNAME', `${hostname}\n`);
    }
    return [...files].map(([path, content]) => ({ path, key: cacheKey(key), render: () => content }));
  };
}

function robots(site: SiteInfo): string {
  return `# Pressmark\nUser-agent: *\nAllow: /\nDisallow: /-/admin/\n\nSitemap: ${site.url}/sitemap.xml\n`;
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
