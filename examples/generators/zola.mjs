import { defineGenerator, escapedMarkdown } from 'pressmark';

const braces = (text) => text.replaceAll('{', '&#123;');
/** One element without blank lines, which Zola's Markdown leaves as it is. */
function block(html) {
  const lines = braces(`\n${html}\n`.replace(/\r\n?/g, '\n'));
  return `<div>${lines.replace(/\n[ \t]*(?=\n)/g, '&#10;')}</div>\n`;
}

const pathOf = (address) => decodeURI(address).replace(/^\/|\/$/g, '');
const isPost = (path) => path.endsWith('.md') && !/(?:^|\/)_index\./.test(path);

/** Zola runs shortcodes in code, too; an article with one there is stored as HTML. */
function body(incoming) {
  let isPlain = incoming.kind === 'markdown' && !/<[a-z/!?]/i.test(incoming.markdown);
  const code = (text) => {
    isPlain &&= !/\{[{%#]/.test(text);
    return text;
  };
  const text = isPlain
    ? escapedMarkdown(incoming.markdown, { prose: braces, inlineCode: code, codeBlock: code })
    : undefined;
  return { text: isPlain && text !== undefined ? text : block(incoming.html), frontMatter: {} };
}

export default defineGenerator({
  name: 'zola',
  recognise: (files) =>
    ['config.toml', 'zola.toml'].find((name) => /^base_url\s*=/m.test(files.read(name) ?? '')),
  inspect: ({ files }) => ({
    siteUrl: /^base_url\s*=\s*"([^"]+?)\/?"/m.exec(
      files.read('config.toml') ?? files.read('zola.toml') ?? '',
    )?.[1],
    language: undefined,
    content: 'content',
    file: 'blog/:slug.md',
    permalink: '/blog/:slug/',
    output: 'public',
    build: 'zola build',
    frontMatter: {},
    options: {},
    edits: [],
    ignore: ['public/'],
    questions: [],
    warnings: [],
  }),
  configFiles: ['config.toml', 'zola.toml', 'templates'],
  caches: ['public'],
  pinsAddresses: true,
  mapping: ({ constants }) => ({
    own: ['extra', 'pressmark'],
    keys: {
      title: 'title',
      description: 'description',
      date: 'date',
      updated: 'updated',
      tags: null,
      image: null,
    },
    constants,
    reserved: ['path', 'slug', 'template', 'draft', 'render'],
    isArticlePath: isPost,
    slug: ({ path, data }) => data.slug ?? path.replace(/(?:\/index)?\.md$/, '').replace(/^.*\//, ''),
    date: (iso) => ({ kind: 'timestamp', text: iso }),
    image: (url) => url,
    tagKey: (tag) => tag.toLowerCase(),
    extension: () => '.md',
    body,
    held: { draft: true },
    pin: (address) => ({ path: pathOf(address) }),
    isPinned: ({ data }, address) => typeof data.path === 'string' && pathOf(data.path) === pathOf(address),
    publication: ({ data }) => (data.draft === true ? { kind: 'draft' } : { kind: 'dated' }),
  }),
});
