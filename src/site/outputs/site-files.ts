import fs from 'node:fs';
import { join } from 'node:path';
import type { SiteInfo } from '../../host/pages/page-types.js';
import type { Log } from '../../log.js';
import type { Hosting } from '../options.js';
import { type Content, keyOf, type Planned } from '../planned.js';
import { publicFilesIn } from '../render/theme-files.js';
import type { Output } from './output.js';

/** Hosts at GitHub's own addresses; the file CNAME names a domain of one's own. */
const OF_GITHUB = /\.github\.io$/i;

/** Every file for hosts, whatever the settings: an article must not take the address of one that comes later. */
const OF_HOSTS = ['robots.txt', '_headers', 'CNAME'];

/** The style sheet, the icon, the pictures and fonts of the theme, and what it has for the top of the site. */
export function themeFiles(icon: string): Output {
  return {
    reserved: ['assets/', icon],
    *plan({ context }) {
      for (const [path, render] of context.files) yield { path, key: keyOf(context.key), render };
    },
  };
}

/**
 * The owner's own files, which go to the site as they are. They stand in place of files of the site's own.
 *
 * @param folder absolute; it need not exist.
 */
export function staticFiles(folder: string, log: Log): Output {
  const named = new Set<string>();

  function warnOf(link: string): void {
    if (named.has(link)) return;
    named.add(link);
    log.warn(
      { link },
      'a symbolic link in static/ is left out of the site: it leads out of that folder; put the file itself there',
    );
  }

  return {
    reserved: [],
    *plan(): Generator<Planned> {
      for (const path of publicFilesIn(folder, warnOf)) {
        const file = join(folder, path);
        const { size, mtimeMs, ino } = fs.statSync(file);
        yield { path, key: keyOf(`${ino} ${size} ${mtimeMs}`), render: () => fs.readFileSync(file) };
      }
    },
  };
}

/**
 * `robots.txt`, and the files that static hosts want besides the site.
 *
 * @param hosts the hosts of the config.
 * @param policy the Content-Security-Policy of the config; false for none. Default: the theme's.
 */
export function hostFiles(site: SiteInfo, hosts: readonly Hosting[], policy?: string | false): Output {
  return {
    reserved: OF_HOSTS,
    *plan({ context }) {
      const files = new Map<string, Content>();
      // Robots are asked about at a host's root alone.
      if (site.basePath === '') files.set('robots.txt', robots(site));
      if (hosts.includes('cloudflare-pages') || hosts.includes('netlify'))
        files.set('_headers', headers(site, context.theme.hashedFiles, policy ?? context.theme.policy));
      if (hosts.includes('github-pages')) {
        files.set('.nojekyll', '');
        const { hostname } = new URL(site.url);
        if (site.basePath === '' && !OF_GITHUB.test(hostname)) files.set('CNAME', `${hostname}\n`);
      }
      for (const [path, content] of files) yield { path, key: keyOf(context.key), render: () => content };
    },
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
