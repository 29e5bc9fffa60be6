import type { SiteInfo } from '../../host/page-types.js';

/** Static hosts that want files of their own beside the site's. */
export type Hosting = 'cloudflare-pages' | 'github-pages' | 'netlify';

/** A file that a host wants. */
export interface HostingFile {
  /** Below the output folder. */
  readonly file: string;
  readonly text: string;
}

/** Hosts at GitHub's own addresses; a name of one's own is told by the file CNAME. */
const OF_GITHUB = /\.github\.io$/i;

/**
 * The files that these hosts want beside the site.
 *
 * @param hashed files whose name holds a hash of their content, below the output folder.
 */
export function hostingFiles(
  hosts: readonly Hosting[],
  site: SiteInfo,
  hashed: readonly string[],
): HostingFile[] {
  const files: HostingFile[] = [];
  if (hosts.includes('cloudflare-pages') || hosts.includes('netlify'))
    files.push({ file: '_headers', text: headers(site, hashed) });
  if (!hosts.includes('github-pages')) return files;
  files.push({ file: '.nojekyll', text: '' });
  const { hostname } = new URL(site.url);
  if (site.basePath === '' && !OF_GITHUB.test(hostname)) files.push({ file: 'CNAME', text: `${hostname}\n` });
  return files;
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
