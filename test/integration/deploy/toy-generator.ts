import { writeFiles } from '../../support/temp-dir.js';

/**
 * A static-site generator in a few lines: posts in `content`, a home page that prints all of them, tag pages that print
 * whole posts, permalinks in the front matter or in `content/content.json` in which `:title` is the title, drafts, and `{{ … }}` that must be known, and no
 * comments. With `templates: run`, templates compute and read files. `--list` prints the address of each post instead.
 */
export const TOY_GENERATOR = `
import fs from 'node:fs';
import path from 'node:path';
import yaml from '${import.meta.resolve('js-yaml')}';
const [out = 'public'] = process.argv.slice(2);
const isListing = out === '--list';
const write = (file, html) => {
  if (isListing) return;
  fs.mkdirSync(path.dirname(path.join(out, file)), { recursive: true });
  fs.writeFileSync(path.join(out, file), html);
};
const layout = (title, body) => '<!doctype html><html><head><title>' + title + '</title></head><body>' + body + '</body></html>';
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const slugOf = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, '-');
const run = (text) => text
  .replace(/{{ (\\d+)\\*(\\d+) }}/g, (_, a, b) => String(a * b))
  .replace(/{% include "([^"]+)" %}/g, (_, name) => fs.readFileSync(name, 'utf8'));
const folderData = fs.existsSync('content/content.json') ? JSON.parse(fs.readFileSync('content/content.json', 'utf8')) : {};
const posts = [];
for (const name of fs.readdirSync('content', { recursive: true }).sort()) {
  if (!name.endsWith('.md')) continue;
  const [, front, body] = /^---\\n(|[^]*?\\n)---\\n([^]*)$/.exec(fs.readFileSync(path.join('content', name), 'utf8'));
  const data = { ...folderData, ...yaml.load(front) };
  if (data.draft) continue;
  const unknown = data.templates !== undefined ? null : /{{(?! site )[^]*?}}/.exec(body);
  if (unknown) throw new Error(name + ': unknown template ' + unknown[0]);
  const slug = slugOf(data.title);
  const stem = name.replace(/\\.md$/, '');
  const address = (data.permalink ?? '/' + stem + '/').replace(':title', slug).replace(':name', data.dynamic === false ? '-name-' : stem);
  if (data.dynamic === false && posts.some((post) => post.address === address)) throw new Error(name + ': ' + address + ' is taken');
  const shown = data.templates === 'run' ? run(body) : body;
  const html = data.html ? shown.replace(/<!--[^]*?-->/g, '') : shown.replace(/<!--[^]*?-->/g, '').trim().split(/\\n{2,}/).map((text) => '<p>' + text + '</p>').join('\\n');
  const post = { ...data, name, address, html };
  posts.push(post);
  if (!data.list) write(address.endsWith('/') ? address + 'index.html' : address, layout(escaped(data.title), '<article><h1>' + escaped(data.title) + '</h1>' + html + '</article>'));
}
write('index.html', layout('Home', posts.map((post) => post.html).join('')));
for (const tag of new Set(posts.flatMap((post) => post.tags ?? [])))
  write('tags/' + slugOf(tag) + '/index.html', layout(escaped(tag), posts.filter((post) => post.tags?.includes(tag)).map((post) => '<h2>' + escaped(post.title) + '</h2>' + post.html).join('')));
write('feed.xml', posts.map((post) => post.html).join(''));
if (isListing) console.log(JSON.stringify(posts.map(({ name, address }) => ({ path: 'content/' + name, address }))));
fs.mkdirSync('cache', { recursive: true });
fs.writeFileSync('cache/last', 'built');
`;

/** Writes the files of a toy site. */
export function writeToySite(dir: string, files: Readonly<Record<string, string>>): void {
  writeFiles(dir, { 'toy.mjs': TOY_GENERATOR, ...files });
}

/** A post of the toy's. */
export function toyPost(data: Readonly<Record<string, unknown>>, body = 'Text.\n'): string {
  const lines = Object.entries(data).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
  return `---\n${lines.join('')}---\n${body}`;
}

/** The toy's definition as an owner writes it. */
export const TOY_CONFIG = toyConfig();

/** The same, with other functions in its mapping: the text of an object's members. */
export function toyConfig(mapping = ''): string {
  return `
const generator = {
  name: 'toy',
  recognise: () => undefined,
  inspect: () => { throw new Error('not used'); },
  mapping: () => ({
    keys: { title: 'title', description: null, date: 'date', updated: null, tags: 'tags', image: null },
    constants: {},
    reserved: ['permalink', 'templates'],
    isArticlePath: (path) => path.endsWith('.md'),
    slug: ({ path }) => path.replace(/.md$/, ''),
    date: (iso) => iso,
    image: (url) => url,
    tagKey: (tag) => tag,
    extension: () => '.md',
    body: (incoming) => ({
      text: incoming.kind === 'markdown' ? incoming.markdown : incoming.html,
      frontMatter: { templates: false },
    }),
    pin: (address) => ({ permalink: address }),
    isPinned: ({ data }, address) => data.permalink === address,
    publication: ({ data }) =>
      data.draft === true ? { kind: 'draft' } : { kind: 'dated', from: Date.parse(data.date), until: Date.parse(data.expiryDate) },
    ${mapping}
  }),
  configFiles: ['toy.mjs'],
  caches: ['cache'],
  addressQuery: () => ({ command: 'node toy.mjs --list', parse: JSON.parse }),
  pinsAddresses: true,
};
export default {
  siteUrl: 'https://garden.example/base',
  generator,
  build: 'node toy.mjs',
  articles: { file: ':slug.md', permalink: '/blog/:slug/' },
};
`;
}
