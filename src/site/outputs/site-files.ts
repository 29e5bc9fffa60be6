import fs from 'node:fs';
import { join } from 'node:path';
import type { SiteInfo } from '../../host/pages/page-types.js';
import type { Log } from '../../log.js';
import type { Hosting } from '../options.js';
import { publicFilesIn } from '../render/theme.js';
import { cacheKey, type Planner, type Sources } from './planner.js';

/** GitHub's own host names; for another domain, the file CNAME is needed. */
const OF_GITHUB = /\.github\.io$/i;

/** Plans the theme's files: style sheet, icon, pictures, fonts, and files for the top of the site. */
export const themeFiles: Planner = ({ renderer: { files, key } }) =>
  [...files].map(([path, render]) => ({ path, key: cacheKey(key), render }));

/** Whether the owner or the theme has a file with this name, which replaces an article's page. */
export function isOwnFile(file: string, staticDir: string, { renderer }: Pick<Sources, 'renderer'>): boolean {
  return renderer.files.has(file) || fs.existsSync(join(staticDir, file));
}

/**
 * Plans the owner's files, which are copied to the site unchanged. They replace made files of the same name.
 *
 * @param folder the folder of the files, absolute; it need not exist.
 */
export function staticFiles(folder: string, log: Log): Planner {
  const warnedOf = new Set<string>();

  function warnOf(link: string): void {
    if (warnedOf.has(link)) return;
    warnedOf.add(link);
    log.warn(
      { link },
      'a symbolic link in static/ leads out of that folder and is left out of the site; put the file itself there',
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
 * Plans `robots.txt`, and the additional files of static hosts.
 *
 * @param hosts the hosts in the config.
 * @param policy the Content-Security-Policy in the config; false for none. @default the theme's
 */
export function hostFiles(site: SiteInfo, hosts: readonly Hosting[], policy?: string | false): Planner {
  return ({ renderer: { key, theme } }) => {
    const files = new Map<string, string>();
    // Robots read the file only at a host's root.
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
 * Makes the headers file for Cloudflare Pages and Netlify, which revalidate pages by default. No file matches two rules with
 * the same header, as Cloudflare would join the values.
 */
function headers({ basePath, search }: SiteInfo, hashed: readonly string[], policy: string | false): string {
  const kept = [...hashed, ...(search ? ['pagefind/fragment/*', 'pagefind/index/*'] : [])];
  const rules = kept.map(
    (path) => `${basePath}/${path}\n  Cache-Control: public, max-age=31536000, immutable\n`,
  );
  const secured = policy === false || policy === '' ? '' : `  Content-Security-Policy: ${policy}\n`;
  return `# Pressmark\n${basePath}/*\n  X-Content-Type-Options: nosniff\n${secured}${rules.join('')}`;
}
