import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CORPUS_URL, type CorpusArticle } from './corpus.js';

const OURS = fileURLToPath(new URL('../../pressmark/bin.cjs', import.meta.url));
const TOOLS = fileURLToPath(new URL('../../../test/e2e/tools/', import.meta.url));
const ELEVENTY = join(TOOLS, 'node_modules/@11ty/eleventy');

/** A static site generator in a folder of its own. */
export interface Generator {
  readonly name: string;
  /** Its version; undefined where it is not installed. */
  version(): string | undefined;
  /** Where an article goes, and what stands in its file. */
  file(article: CorpusArticle): { readonly path: string; readonly text: string };
  /** Templates and settings. */
  readonly setUp: Readonly<Record<string, string>>;
  /** The command that builds `site` from nothing; the output is in its folder `public`. */
  command(site: string): readonly [command: string, ...args: string[]];
}

/** The article file as the receiver has stored it: every generator reads the same. */
const stored: Generator['file'] = ({ path, file }) => ({ path: `content/${path}`, text: file });

const ours: Generator = {
  name: 'Pressmark',
  version: () =>
    JSON.parse(fs.readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')).version,
  file: stored,
  setUp: {
    'pressmark.config.json': JSON.stringify({ siteUrl: CORPUS_URL, git: false, site: { search: false } }),
  },
  command: (site) => [process.execPath, OURS, 'build', '--dir', site],
};

const HEAD = (title: string, description: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title><meta name="description" content="${description}"></head><body>`;

const hugo: Generator = {
  name: 'Hugo',
  version: () => versionOf('hugo', ['version'], /v[\d.]+/),
  // It refuses to build anything where `url` is absolute.
  file: ({ path, file }) => ({ path: `content/${path}`, text: file.replace(/^url: /m, 'public_url: ') }),
  setUp: {
    'config.json': JSON.stringify({
      baseURL: `${CORPUS_URL}/`,
      title: 'Corpus',
      permalinks: { articles: '/articles/:slug/' },
      markup: { goldmark: { renderer: { unsafe: true } } },
      paginate: 20,
      rssLimit: 20,
      taxonomies: { tag: 'tags' },
    }),
    'layouts/_default/single.html': `${HEAD('{{ .Title }}', '{{ .Description }}')}<h1>{{ .Title }}</h1><time>{{ .Date.Format "January 2, 2006" }}</time>{{ .Content }}<ul>{{ range .Params.tags }}<li><a href="/tags/{{ . | urlize }}/">{{ . }}</a></li>{{ end }}</ul></body></html>`,
    'layouts/_default/list.html': `${HEAD('{{ .Title }}', '')}<h1>{{ .Title }}</h1><ul>{{ range .Paginator.Pages }}<li><a href="{{ .RelPermalink }}">{{ .Title }}</a></li>{{ end }}</ul></body></html>`,
    'layouts/_default/terms.html': `${HEAD('{{ .Title }}', '')}<ul>{{ range .Data.Terms.Alphabetical }}<li><a href="{{ .Page.RelPermalink }}">{{ .Page.Title }}</a> {{ .Count }}</li>{{ end }}</ul></body></html>`,
    'layouts/index.html': `${HEAD('{{ .Site.Title }}', '')}<ul>{{ range first 20 .Site.RegularPages.ByDate.Reverse }}<li><a href="{{ .RelPermalink }}">{{ .Title }}</a></li>{{ end }}</ul></body></html>`,
  },
  command: (site) => ['hugo', '--quiet', '--source', site, '--destination', join(site, 'public')],
};

const eleventy: Generator = {
  name: 'Eleventy',
  version: () =>
    fs.existsSync(ELEVENTY)
      ? JSON.parse(fs.readFileSync(join(ELEVENTY, 'package.json'), 'utf8')).version
      : undefined,
  file: stored,
  setUp: {
    // No template engine for the articles: Markdown alone.
    'eleventy.config.cjs': `module.exports = (config) => {
      config.setQuietMode(true);
      config.addCollection('newest', (all) => all.getFilteredByGlob('content/articles/**/*.md').reverse().slice(0, 20));
      config.addCollection('articles', (all) => all.getFilteredByGlob('content/articles/**/*.md'));
      return { dir: { input: 'content', output: 'public', includes: '../layouts' }, htmlTemplateEngine: false, markdownTemplateEngine: false };
    };`,
    'content/articles/articles.11tydata.cjs': `module.exports = {
      layout: 'article.njk',
      eleventyComputed: { permalink: ({ slug }) => '/articles/' + slug + '/' },
    };`,
    'layouts/article.njk': `${HEAD('{{ title }}', '{{ description }}')}<h1>{{ title }}</h1><time>{{ date }}</time>{{ content | safe }}<ul>{% for tag in tags %}<li><a href="/tags/{{ tag | replace(" ", "-") }}/">{{ tag }}</a></li>{% endfor %}</ul></body></html>`,
    'content/index.njk': `${HEAD('Corpus', '')}<ul>{% for one in collections.newest %}<li><a href="{{ one.url }}">{{ one.data.title }}</a></li>{% endfor %}</ul></body></html>`,
    'content/tags.njk': `---\npagination:\n  data: collections\n  size: 1\n  alias: tag\n  filter: [all, newest, articles]\npermalink: '/tags/{{ tag | replace(" ", "-") }}/'\n---\n${HEAD('{{ tag }}', '')}<ul>{% for one in collections[tag] | reverse %}<li><a href="{{ one.url }}">{{ one.data.title }}</a></li>{% endfor %}</ul></body></html>`,
    'content/feed.njk': `---\npermalink: /feed.xml\n---\n<feed xmlns="http://www.w3.org/2005/Atom">{% for one in collections.newest %}<entry><title>{{ one.data.title }}</title><id>${CORPUS_URL}{{ one.url }}</id><content type="html">{{ one.content }}</content></entry>{% endfor %}</feed>`,
    'content/sitemap.njk': `---\npermalink: /sitemap.xml\n---\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{% for one in collections.articles %}<url><loc>${CORPUS_URL}{{ one.url }}</loc></url>{% endfor %}</urlset>`,
  },
  command: () => [process.execPath, join(ELEVENTY, 'cmd.cjs')],
};

/** All generators that are compared, Pressmark first. */
export const GENERATORS = [ours, hugo, eleventy] as const;

/** Writes the corpus into a fresh folder as a generator wants it. */
export function writeSite(site: string, generator: Generator, articles: Iterable<CorpusArticle>): void {
  const made = new Set<string>();
  const write = (path: string, text: string) => {
    const folder = dirname(join(site, path));
    if (!made.has(folder)) fs.mkdirSync(folder, { recursive: true });
    made.add(folder);
    fs.writeFileSync(join(site, path), text);
  };
  for (const [path, text] of Object.entries(generator.setUp)) write(path, text);
  for (const article of articles) {
    const { path, text } = generator.file(article);
    write(path, text);
  }
}

/** Builds a site and gives the seconds that the command took; it must have made a page of every article. */
export async function build(site: string, generator: Generator, last: CorpusArticle): Promise<number> {
  const [command, ...args] = generator.command(site);
  const started = performance.now();
  const child = spawn(command, args, { cwd: site, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'exit');
  const seconds = (performance.now() - started) / 1_000;
  if (code !== 0) throw new Error(`${generator.name} ended with exit code ${code}`);
  const page = join(site, 'public/articles', last.slug, 'index.html');
  // The last words that are marked in it, which HTML and rendered Markdown have alike.
  if (!fs.readFileSync(page, 'utf8').includes(last.html.match(/<em>[^<]+<\/em>/g)?.at(-1) ?? '?'))
    throw new Error(`${generator.name} has not put the article into ${page}`);
  return seconds;
}

function versionOf(command: string, args: readonly string[], pattern: RegExp): string | undefined {
  try {
    return pattern.exec(execFileSync(command, [...args], { encoding: 'utf8' }))?.[0];
  } catch {
    return undefined; // not installed
  }
}
