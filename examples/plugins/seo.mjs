// Front matter of articles for search engines: seo_title, seo_description, canonical (an absolute URL) and noindex: true.
// A noindex article is not in the sitemap of Pressmark's own site; the live check expects noindex and canonical as they are here.
// A service may send the same fields with its articles; so may a person add them to a file.
import { definePlugin, escapeHtml } from 'pressmark';

const isText = (value) => typeof value === 'string' && value.trim() !== '';

/** The elements of a head. No pattern reads anything twice, as an article may be made to take long. */
const ELEMENTS = /<title>(?:(?!<title>).)*?<\/title>\s*|<(?:meta|link)\s[^<>]*>\s*/gis;

/** Each field: when it counts, what it replaces in the head, and by what. */
const FIELDS = {
  seo_title: { counts: isText, old: /^<title/i, element: (text) => `<title>${text}</title>` },
  seo_description: {
    counts: isText,
    old: /^<meta\s.*name="?description/is,
    element: (text) => `<meta name="description" content="${text}">`,
  },
  canonical: {
    counts: (value) => isText(value) && /^https?:\/\/\S+$/.test(value),
    old: /^<link\s.*rel="?canonical/is,
    element: (text) => `<link rel="canonical" href="${text}">`,
  },
  noindex: {
    counts: (value) => value === true,
    old: /^<meta\s.*name="?robots/is,
    element: () => '<meta name="robots" content="noindex">',
  },
};

const without = (head, old) =>
  head.replace([...head.matchAll(ELEMENTS)].find(([element]) => old.test(element))?.[0] ?? '', '');

const fieldsOf = (values) => Object.entries(FIELDS).filter(([name, { counts }]) => counts(values[name]));

export default definePlugin({
  name: 'seo',
  version: '1.0.0',
  receiver(host) {
    host.addFilter('article.frontMatter', (keys, { source = {} }) => ({
      ...keys,
      ...Object.fromEntries(fieldsOf(source).map(([name]) => [name, source[name]])),
    }));
  },
  pages(host) {
    host.addFilter('sitemap.items', (items) =>
      items.filter(({ article }) => article?.extra.noindex !== true),
    );
    host.addFilter('page.html', async (html, { kind, path }) => {
      const article = kind === 'article' ? await host.articles.find(`${host.site.url}${path}`) : undefined;
      const end = html.search(/<\/head>/i);
      if (article === undefined || end === -1) return html;
      let head = html.slice(0, end);
      for (const [name, { old, element }] of fieldsOf(article.extra))
        head = `${without(head, old)}${element(escapeHtml(String(article.extra[name])))}\n`;
      return `${head}${html.slice(end)}`;
    });
  },
});
