import { posix } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { mapOf, textAt, textsOf, type ValueMap } from '../../article/plain-data.js';
import type {
  AskedSite,
  Generator,
  GeneratorOptions,
  ListedPage,
  Problem,
  SiteFacts,
  SiteFiles,
} from '../generator.js';
import { answerTo, pagesIn, pagesOf, shellWord } from '../inspect/ask.js';
import { authorsIn } from '../inspect/authors.js';
import { sharedCategory, siteFacts } from '../inspect/facts.js';
import { inferFile, inferPermalink } from '../inspect/infer-pattern.js';
import { untestedVersion } from '../inspect/manifests.js';
import { keysOfPosts } from '../inspect/post-fields.js';
import { buildInSite } from '../inspect/site-build.js';
import { filesBelow, folderPath, namesIn, publicAddress } from '../inspect/site-files.js';
import { readPosts } from '../inspect/site-posts.js';
import { knownTimeZone } from '../mapping/dates.js';
import { CONFIG_FILES, configPath, excludePressmark, recognise, usesBundler } from './config-file.js';
import { isArticlePath, KEYS, mapping, slug } from './mapping.js';

/** Jekyll 3 and 4, including GitHub Pages. */
export const jekyll: Generator = {
  name: 'jekyll',
  packages: ['jekyll', 'github-pages'],
  recognise,
  inspect,
  mapping,
  configFiles: [...CONFIG_FILES, 'Gemfile', 'Gemfile.lock', '_layouts', '_includes', '_plugins', '_data'],
  caches: ['_site', '.jekyll-cache', '.jekyll-metadata', '.sass-cache', 'vendor/bundle'],
  addressQuery: (files) => ({ command: rubyCommand(files), parse: pagesIn }),
  pinsAddresses: true,
  staticFolder: () => '',
  problems,
};

/** The faults that publish a secret. */
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

/** A probe post, written into the copy of the site, which shows the rule for new posts and their `defaults:`. */
const PROBE = '2001-02-03-probe.md';
const PUT_PROBE = `
folder = site.in_source_dir(site.config["collections_dir"].to_s, "_posts")
require "fileutils"
FileUtils.mkdir_p(folder)
File.write(File.join(folder, "${PROBE}"), "---\\ntitle: probe\\n---\\n")
`;

/** Finds out the facts about a Jekyll site for `init`. */
async function inspect(site: AskedSite): Promise<SiteFacts> {
  const { files } = site;
  const answer = await answerTo(site, rubyCommand(files, PUT_PROBE), 'ruby -e "Jekyll::Site#read"');
  const config = mapOf(answer.config);
  const text = (key: string) => textAt(config, key);
  const version = textAt(answer, 'version');
  // If the version is unknown, Jekyll 3 is assumed, whose articles are right in Jekyll 4 too.
  const major = Number.parseInt(version ?? '3', 10);
  const timeZone = knownTimeZone(text('timezone'));
  const source = folderPath(text('source') ?? '');
  const content = posix.join(source, folderPath(text('collections_dir') ?? ''), '_posts');
  const isProbe = ({ path }: ListedPage) => posix.basename(path) === PROBE;
  const pages = pagesOf(answer);
  const mapped = { isArticlePath, slug };
  const posts = readPosts(
    files,
    content,
    pages.filter((page) => !isProbe(page)),
    mapped,
  );
  const keys = keysOfPosts(posts, KEYS, { files, content });
  const hasLayout = textAt(mapOf(answer.defaults), 'layout') !== undefined;
  const layouts = textsOf(answer.layouts);
  const layout = ['post', 'page', 'default'].find((name) => layouts.includes(name));
  // If most posts share a category, a new article gets it. Otherwise its address is the probe's, unless most posts set their
  // own.
  const category = Object.entries(sharedCategory(posts, keys));
  const own = posts.filter(({ data }) => typeof data.permalink === 'string');
  const alike = posts.filter(({ data }) =>
    category.some(([key, value]) => isDeepStrictEqual(data[key], value)),
  );
  const ofRule = own.length * 2 > posts.length ? own : alike;
  const address = pages.find(isProbe)?.address ?? '/2001/02/03/probe.html';
  const probe = { path: PROBE, slug: 'probe', date: '2001-02-03', address };
  const command = usesBundler(files) ? 'bundle exec jekyll build' : 'jekyll build';
  const destination = text('destination') ?? '_site';
  const { output, build, warnings } = await buildInSite(site, 'jekyll', command, destination, 'destination');
  // Jekyll never reads files outside the source folder.
  const excludes =
    source === '' ? excludePressmark(files, textsOf(config.exclude), major) : { edits: [], warnings: [] };
  const domain = files.read('CNAME')?.trim() ?? '';
  return siteFacts({
    posts,
    keys,
    shared: hasLayout ? [] : ['layout'],
    authors: authorsIn(answer.authors),
    siteUrl: publicAddress(text('url') ?? `https://${domain}`, text('baseurl')),
    siteUrlSource: 'url and baseurl',
    language: text('lang') ?? text('language') ?? text('locale'),
    content,
    // Jekyll reads a file as a post only if its name begins with a date, which may differ from the front matter's date.
    file: `${inferFile(posts, timeZone)?.pattern.replace(/[^/]*$/, '') ?? ''}:year-:month-:day-:slug.md`,
    inferred: ofRule.length > 0 ? inferPermalink(ofRule, timeZone) : inferPermalink([probe]),
    usualPermalink: '/:year/:month/:day/:slug.html',
    output,
    build,
    frontMatter: hasLayout || layout === undefined ? {} : { layout },
    options: {
      ...optionsOf(files, config, major),
      timeZone,
      keptTags: selectingTags(files, source),
    },
    edits: excludes.edits,
    ignore: [`${output}/`, '.jekyll-cache/', '.jekyll-metadata'],
    warnings: [...excludes.warnings, ...warnings, ...untestedVersion(version, 'Jekyll 3 and 4', [3, 4])],
  });
}

/** A tag by which a page or layout selects posts, unless a layout asks for the tags of its own page. */
const SELECTING =
  /\bsite\.tags(?:\.(?!(?:size|first|last)\b)([\w-]+)|\[\s*(?:"([^"\n]+)"|'([^'\n]+)')\s*\])|\b(?!page\b)\w+\.tags\s+contains\s+(?:"([^"\n]+)"|'([^'\n]+)')/g;

function selectingTags(files: SiteFiles, source: string): string[] {
  const below = (name: string) => posix.join(source, name);
  const pages = files.list(source || '.').filter((name) => /\.(?:html|md)$/.test(name));
  const layouts = ['_includes', '_layouts'].flatMap((name) => filesBelow(files, below(name)));
  return namesIn(files, [...pages.map(below), ...layouts], SELECTING);
}

function optionsOf(files: SiteFiles, config: ValueMap, major: number): GeneratorOptions {
  // Without a Gemfile, the host may have another version: GitHub Pages has Jekyll 3. Escaped text is right in both.
  const isCertain =
    files.read('Gemfile') !== undefined || JSON.stringify(config).includes('"render_with_liquid"');
  return {
    ...(isCertain && major >= 4 && { templateSwitch: true }),
    ...(!/^kramdown$/i.test(textAt(config, 'markdown') ?? 'kramdown') && { rawHtml: true }),
    ...(config.future === true && { futurePages: true }),
    ...(config['jekyll-archives'] !== undefined && { tagSlugs: true }),
  };
}

/**
 * Makes a command in which Jekyll reads its files as for a build, but renders and writes nothing. Output of plugins goes to
 * standard error.
 *
 * @param before Ruby that runs before the files are read.
 */
function rubyCommand(files: SiteFiles, before = ''): string {
  const script = `
require "jekyll"
require "json"
printed = $stdout.dup
$stdout.reopen($stderr)
Jekyll::PluginManager.require_from_bundler
site = Jekyll::Site.new(Jekyll.configuration("quiet" => true, "disable_disk_cache" => true))
${before}site.reset
site.read
below = ->(path) { Pathname.new(path).relative_path_from(Pathname.new(Dir.pwd)).to_s }
documents = site.collections.values.flat_map(&:docs)
authors = (site.collections["authors"]&.docs || []).to_h { |one|
  [one.data["short_name"] || one.basename_without_ext, one.data.slice("name", "title")]
}
probe = site.posts.docs.find { |one| one.basename == "${PROBE}" }
printed.puts JSON.generate({
  "version" => Jekyll::VERSION,
  "config" => site.config.merge("source" => below.(site.source), "destination" => below.(site.dest)),
  "layouts" => site.layouts.keys,
  "pages" => documents.map { |one| { "path" => below.(one.path), "address" => one.url } },
  "authors" => [site.data["authors"], site.config["authors"], authors].find { |one| one.respond_to?(:any?) && one.any? },
  "defaults" => probe && { "layout" => probe.data["layout"] },
})
`;
  return `${usesBundler(files) ? 'bundle exec ruby' : 'ruby'} -e ${shellWord(script)}`;
}
