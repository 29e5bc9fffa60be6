import { posix } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { defined, mapOf, textsOf, type ValueMap } from '../../article/plain-data.js';
import type {
  AddressQuery,
  AskedSite,
  Generator,
  GeneratorOptions,
  ListedPage,
  Problem,
  SiteFacts,
  SiteFiles,
} from '../generator.js';
import { shellWord } from '../inspect/ask.js';
import { authorsIn } from '../inspect/authors.js';
import { inferFile, inferPermalink, permalinkQuestions } from '../inspect/infer-pattern.js';
import { keptTagsOption } from '../inspect/kept-tags.js';
import { untestedVersion } from '../inspect/manifests.js';
import { factsOfPosts, keysOfPosts } from '../inspect/post-fields.js';
import { buildInSite } from '../inspect/site-build.js';
import { filesBelow, folderPath, namesIn, publicAddress } from '../inspect/site-files.js';
import { readPosts } from '../inspect/site-posts.js';
import { knownTimeZone } from '../mapping/dates.js';
import { CONFIG_FILES, configPath, excludePressmark, recognise, usesBundler } from './config-file.js';
import { isArticlePath, KEYS, mapping, slugOfFile } from './mapping.js';

/** Jekyll 3 and 4, also on GitHub Pages. */
export const jekyll: Generator = {
  name: 'jekyll',
  packages: ['jekyll', 'github-pages'],
  recognise,
  inspect,
  mapping,
  configFiles: [...CONFIG_FILES, 'Gemfile', 'Gemfile.lock', '_layouts', '_includes', '_plugins', '_data'],
  caches: ['_site', '.jekyll-cache', '.jekyll-metadata', '.sass-cache', 'vendor/bundle'],
  addressQuery,
  pinsAddresses: true,
  staticFolder: () => '',
  problems,
};

/** What leaks a secret. */
function problems(files: SiteFiles): Problem[] {
  const path = configPath(files) ?? '_config.yml';
  const include =
    /^include\s*[:=]([^\n]*(?:\n[ \t]*-[^\n]*|\n[ \t]+[^\n]*)*)/m.exec(files.read(path) ?? '')?.[1] ?? '';
  if (!/(?:^|[\s[,"'-])(?:\.env|\.?\*)(?:$|[\s\],"'])/.test(include)) return [];
  return [
    {
      level: 'fail',
      text: `include in ${path} publishes .env, which holds the signing secret.`,
      fix: 'Remove that entry from include, or add .env to exclude and remove it from include.',
    },
  ];
}

/** How Jekyll lists its posts, and the documents of its other collections. */
function addressQuery(files: SiteFiles): AddressQuery {
  return { command: rubyCommand(files, 'pages') };
}

/** A post that is not there shows the rule for new ones, and what `defaults:` give them; the copy of the site is thrown away. */
const PROBE = '2001-02-03-probe.md';
const PUT_PROBE = `
folder = site.in_source_dir(site.config["collections_dir"].to_s, "_posts")
require "fileutils"
FileUtils.mkdir_p(folder)
File.write(File.join(folder, "${PROBE}"), "---\\ntitle: probe\\n---\\n")
`;
const ANSWER = `begin
  relative = ->(path) { Pathname.new(path).relative_path_from(Pathname.new(Dir.pwd)).to_s }
  documents_of = ->(name) {
    (site.collections[name]&.docs || []).to_h { |one| [one.data["short_name"] || one.basename_without_ext, one.data.slice("name", "title")] }
  }
  probe = site.posts.docs.find { |one| one.basename == "${PROBE}" }
  {
    "version" => Jekyll::VERSION,
    "config" => site.config.merge("source" => relative.(site.source), "destination" => relative.(site.dest)),
    "layouts" => site.layouts.keys,
    "pages" => pages,
    "authors" => [site.data["authors"], site.config["authors"], documents_of.("authors")].find { |one| one.respond_to?(:any?) && one.any? },
    "defaults" => probe && { "layout" => probe.data["layout"] },
  }
end`;

/** What `init` finds out about a Jekyll site. */
async function inspect({ files, ask }: AskedSite): Promise<SiteFacts> {
  const answer = answerIn(await ask(rubyCommand(files, ANSWER, PUT_PROBE), 'ruby -e "Jekyll::Site#read"'));
  const { config, layouts, major } = answer;
  const text = (key: string) => textOf(config, key);
  const timeZone = knownTimeZone(text('timezone'));
  const source = folderPath(text('source') ?? '');
  const content = posix.join(source, folderPath(text('collections_dir') ?? ''), '_posts');
  const isProbe = ({ path }: ListedPage) => posix.basename(path) === PROBE;
  const pages = answer.pages.filter((page) => !isProbe(page));
  const posts = readPosts(files, content, pages, { isArticlePath, slug: slugOfFile });
  const own = posts.filter(({ data }) => typeof data.permalink === 'string');
  const address = answer.pages.find(isProbe)?.address ?? '/2001/02/03/probe.html';
  const probe = { path: PROBE, slug: 'probe', date: '2001-02-03', address };
  const keys = keysOfPosts(posts, KEYS);
  const ofPosts = factsOfPosts(posts, KEYS, ['layout'], authorsIn(answer.authors), keys);
  const { layout = ['post', 'page', 'default'].find((name) => layouts.includes(name)), ...category } =
    ofPosts.frontMatter;
  const alike = posts.filter(({ data }) =>
    Object.entries(category).some(([key, value]) => isDeepStrictEqual(data[key], value)),
  );
  // Without a category that most posts have, a new article's address is that of the probe, unless most posts name their own.
  const ofRule = own.length * 2 > posts.length ? own : alike;
  const inferred = ofRule.length > 0 ? inferPermalink(ofRule, timeZone) : inferPermalink([probe]);
  const hasLayout = textOf(answer.defaults, 'layout') !== undefined;
  const command = usesBundler(files) ? 'bundle exec jekyll build' : 'jekyll build';
  const { output, build, warnings } = await buildInSite(
    { files, ask },
    'jekyll',
    command,
    text('destination') ?? '_site',
    'destination',
  );
  // Files outside of the source folder are never read.
  const excludes =
    source === '' ? excludePressmark(files, textsOf(config.exclude), major) : { edits: [], warnings: [] };
  return {
    siteUrl: siteUrlOf(files, config),
    siteUrlSource: 'url and baseurl',
    language: text('lang') ?? text('language') ?? text('locale'),
    content,
    // Jekyll takes a file for a post only if its name begins with a date, which need not be that of the front matter.
    file: `${inferFile(posts, timeZone)?.pattern.replace(/[^/]*$/, '') ?? ''}:year-:month-:day-:slug.md`,
    permalink: inferred?.pattern ?? '/:year/:month/:day/:slug.html',
    output,
    build,
    frontMatter: {
      ...(hasLayout ? {} : defined({ layout })),
      ...category,
    },
    options: {
      ...optionsOf(files, answer),
      ...defined({ timeZone }),
      ...ofPosts.options,
      ...keptTagsOption(selectingTags(files, source)),
    },
    edits: excludes.edits,
    ignore: [`${output}/`, '.jekyll-cache/', '.jekyll-metadata'],
    questions: permalinkQuestions(inferred),
    warnings: [
      ...excludes.warnings,
      ...warnings,
      ...untestedVersion(answer.version, 'Jekyll 3 and 4', [3, 4]),
    ],
  };
}

/** A tag that a page or layout selects posts by; a layout that asks for those of its own page does not. */
const SELECTING =
  /\bsite\.tags(?:\.(?!(?:size|first|last)\b)([\w-]+)|\[\s*(?:"([^"\n]+)"|'([^'\n]+)')\s*\])|\b(?!page\b)\w+\.tags\s+contains\s+(?:"([^"\n]+)"|'([^'\n]+)')/g;

function selectingTags(files: SiteFiles, source: string): string[] {
  const below = (name: string) => posix.join(source, name);
  const pages = files.list(source || '.').filter((name) => /\.(?:html|md)$/.test(name));
  const layouts = ['_includes', '_layouts'].flatMap((name) => filesBelow(files, below(name)));
  return namesIn(files, [...pages.map(below), ...layouts], SELECTING);
}

/** What Jekyll has said. */
interface JekyllAnswer {
  /** The version that runs; undefined if unknown. */
  readonly version: string | undefined;
  /** 3 where the version is not known, as articles are right in Jekyll 4 then, too. */
  readonly major: number;
  readonly config: ValueMap;
  readonly layouts: readonly string[];
  readonly pages: readonly ListedPage[];
  readonly defaults: ValueMap;
  /** Those of `_data`, of the configuration or of a collection. */
  readonly authors: unknown;
}

function answerIn(printed: string | undefined): JekyllAnswer {
  const { version, config, layouts, pages, defaults, authors } = mapOf(JSON.parse(printed ?? '{}'));
  const [known] = textsOf(version);
  return {
    version: known,
    major: known === undefined ? 3 : Number.parseInt(known, 10),
    config: mapOf(config),
    layouts: textsOf(layouts),
    pages: (pages as readonly ListedPage[] | undefined) ?? [],
    defaults: mapOf(defaults),
    authors,
  };
}

/** A text of the configuration without white space around it; undefined for an empty one. */
function textOf(config: ValueMap, key: string): string | undefined {
  const value = config[key];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** The public address: `url` and `baseurl`, or the domain in `CNAME`. */
function siteUrlOf(files: SiteFiles, config: ValueMap): string | undefined {
  const domain = files.read('CNAME')?.trim() ?? '';
  return publicAddress(textOf(config, 'url') ?? `https://${domain}`, textOf(config, 'baseurl'));
}

/** How jekyll-archives makes the addresses of tags' pages; without a word of it by the first. */
const SLUG_MODES = ['default', 'raw', 'pretty', 'ascii', 'latin'] as const;

function optionsOf(files: SiteFiles, { major, config }: JekyllAnswer): GeneratorOptions {
  const archives = config['jekyll-archives'];
  const renderer = textOf(config, 'markdown') ?? 'kramdown';
  // Without a Gemfile, the host may have another version: GitHub Pages has Jekyll 3. Escapes are right in both.
  const isCertain =
    files.read('Gemfile') !== undefined || JSON.stringify(config).includes('"render_with_liquid"');
  return {
    ...(isCertain && major >= 4 && { templateSwitch: true }),
    ...(!/^kramdown$/i.test(renderer) && { rawHtml: true }),
    ...(config.future === true && { futurePages: true }),
    ...(archives !== undefined && {
      tagSlugs: SLUG_MODES.find((mode) => mode === mapOf(archives).slug_mode) ?? 'default',
    }),
  };
}

/**
 * Jekyll reads its files as for a build, and renders and writes nothing. What plugins print goes to standard error.
 *
 * @param answer Ruby that makes a value of `site` and `documents`.
 * @param before Ruby that runs before the files are read.
 */
function rubyCommand(files: SiteFiles, answer: string, before = ''): string {
  const script = `
require "jekyll"
require "json"
printed = $stdout.dup
$stdout.reopen($stderr)
Jekyll::PluginManager.require_from_bundler
site = Jekyll::Site.new(Jekyll.configuration("quiet" => true, "disable_disk_cache" => true))
${before}site.reset
site.read
root = Dir.pwd + "/"
documents = site.collections.values.flat_map(&:docs)
pages = documents.map { |one| { "path" => one.path.delete_prefix(root), "address" => one.url } }
printed.puts JSON.generate(${answer})
`;
  return `${usesBundler(files) ? 'bundle exec ruby' : 'ruby'} -e ${shellWord(script)}`;
}
