// Adds a feed for each tag, at feeds/<tag>.xml, and llms.txt, which lists the articles for language models.
import { definePlugin, escapeHtml } from 'pressmark';

/** The name of a tag's file: letters and digits of every script. */
const slugOf = (tag) =>
  tag
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .slice(0, 80) || 'tag';

/** The tags by their feeds' files; of tags with one name, such as C and C++, one has it. */
const tagsByFile = ({ articles }) =>
  new Map([...articles].flatMap(({ tags }) => tags).map((tag) => [`feeds/${slugOf(tag)}.xml`, tag]));

const entry = ({ title, url, published, modified, author, excerpt, date }) => `<entry>
<title>${escapeHtml(title)}</title>
<link href="${escapeHtml(url)}"/><id>${escapeHtml(url)}</id>
<updated>${escapeHtml(modified ?? published ?? date)}</updated>
<author><name>${escapeHtml(author || 'unknown')}</name></author>
<summary>${escapeHtml(excerpt)}</summary>
</entry>`;

export default definePlugin({
  name: 'tag-feeds',
  version: '1.0.0',
  pages(host) {
    host.addOutput({
      path: 'feeds/',
      paths: (view) => tagsByFile(view).keys(),
      render(file, view) {
        const { site, articles } = view;
        const tag = tagsByFile(view).get(file);
        const newest = articles.tagged(tag).slice(0, 20);
        const [{ modified, published, date }] = newest;
        const self = `${site.url}/${encodeURI(file)}`;
        return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${escapeHtml(site.language)}">
<title>${escapeHtml(`${tag} · ${site.title}`)}</title>
<link rel="self" href="${escapeHtml(self)}"/>
<id>${escapeHtml(self)}</id>
<updated>${escapeHtml(modified ?? published ?? date)}</updated>
${newest.map(entry).join('\n')}
</feed>
`;
      },
    });
    const line = ({ title, url, excerpt }) =>
      `- [${title.replace(/[[\]]/g, '\\$&')}](${url}): ${excerpt.replace(/\s+/g, ' ')}`;
    host.addOutput({
      path: 'llms.txt',
      render: (_, { site, articles }) => [`# ${site.title}`, '', ...[...articles].map(line), ''].join('\n'),
    });
  },
});
