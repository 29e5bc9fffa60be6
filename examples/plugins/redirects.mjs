// Leads old addresses to new ones: those of redirects.txt next to this file, a line such as "/old/ /new/" for each, and those
// that articles name in their front matter as aliases: ['/2019/old/'].
// Netlify and Cloudflare Pages answer 301 by the file _redirects; any other host shows a page that leads on.
import fs from 'node:fs';
import { definePlugin, escapeHtml } from 'pressmark';

const FILE = new URL('redirects.txt', import.meta.url);

/** An old address as a path below the site's, percent-encoded; undefined where it is none. */
const pathOf = (address) => {
  if (typeof address !== 'string' || !URL.canParse(address, 'https://site.invalid/')) return undefined;
  const { pathname } = new URL(address, 'https://site.invalid/');
  return /\/\.|\/\/|^\/$|%(?:2[ef]|5c|[01]|7f)/i.test(pathname) ? undefined : pathname;
};

const fileOf = (path) => decodeURI(path.slice(1)).replace(/\/?(?<!\.html?)$/, '/index.html');

const pageTo = (url) => `<!doctype html>
<title>${url}</title>
<link rel="canonical" href="${url}">
<meta http-equiv="refresh" content="0; url=${url}">
<a href="${url}">${url}</a>
`;

export default definePlugin({
  name: 'redirects',
  version: '1.0.0',
  pages(host) {
    const { url: site } = host.site;
    const base = new URL(site).pathname.replace(/\/$/, '');
    const text = fs.existsSync(FILE) ? fs.readFileSync(FILE, 'utf8') : '';
    const listed = (text.match(/^[ \t]*[^#\s].*$/gm) ?? []).map((line) => {
      const [from, to] = line.trim().split(/\s+/);
      if (pathOf(from) === undefined || to === undefined)
        throw new Error(`redirects.txt: write "${line}" as "/old/ /new/"`);
      return [pathOf(from), to.startsWith('/') ? `${site}${to}` : to];
    });
    /** The new URLs by the old paths; an article's own address is not led away. */
    const redirects = ({ articles }) => {
      const found = new Map(listed);
      for (const { url, extra } of articles)
        for (const path of [extra.aliases ?? []].flat().map(pathOf))
          if (path !== undefined && `${site}${path}` !== url) found.set(path, url);
      return found;
    };
    const line = ([from, to]) => `${base}${from} ${to} 301\n`;
    host.addOutput({ path: '_redirects', render: (_, view) => [...redirects(view)].map(line).join('') });
    host.addOutput({
      path: '',
      paths: (view) => [...redirects(view).keys()].map(fileOf),
      render: (file, view) =>
        pageTo(escapeHtml([...redirects(view)].find(([path]) => fileOf(path) === file)[1])),
    });
  },
});
