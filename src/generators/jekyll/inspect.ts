import { posix } from 'node:path';
import type {
  AskedSite,
  GeneratorOptions,
  ListedPage,
  Problem,
  Question,
  SiteFacts,
  SiteFiles,
} from '../generator.js';
import { type Inferred, inferFile, inferPermalink, permalinkQuestions } from '../infer-pattern.js';
import { type Output, outputInside } from '../output-inside.js';
import { npmScripts } from '../package-json.js';
import { keysOfPosts, readPosts, type SitePost, sharedFrontMatter, tagsOfPosts } from '../site-posts.js';
import { knownTimeZone } from '../time-zone.js';
import { mapOf, type ValueMap } from '../value.js';
import { rubyCommand } from './ask.js';
import { configPath, usesBundler } from './config.js';
import { excludeEdit, missingExcludes } from './excludes.js';
import { isArticlePath, KEYS, slugOfFile } from './mapping.js';
import { problems } from './problems.js';

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
  probe = site.posts.docs.find { |one| one.basename == "${PROBE}" }
  {
    "version" => Jekyll::VERSION,
    "config" => site.config.merge("source" => relative.(site.source), "destination" => relative.(site.dest)),
    "layouts" => site.layouts.keys,
    "pages" => pages,
    "defaults" => probe && { "layout" => probe.data["layout"] },
  }
end`;

/** What Jekyll has said. */
interface JekyllAnswer {
  readonly version: string;
  readonly config: ValueMap;
  readonly layouts: readonly string[];
  readonly pages: readonly ListedPage[];
  readonly defaults: ValueMap;
}

const NO_URL: Question = {
  flag: 'site-url',
  text: 'Jekyll has no url. At which address, with its path, is the site published?',
};

/** What `init` finds out about a Jekyll site. */
export async function inspect({ files, ask }: AskedSite): Promise<SiteFacts> {
  const answer = answerIn(await ask(rubyCommand(files, ANSWER, PUT_PROBE), 'ruby -e "Jekyll::Site#read"'));
  const { config, pages } = answer;
  const text = (key: string) => textOf(config, key);
  const timeZone = knownTimeZone(text('timezone'));
  const content = [text('source') ?? '', text('collections_dir') ?? '', '_posts'].reduce((one, other) =>
    posix.join(one, folder(other)),
  );
  const isProbe = ({ path }: { readonly path: string }) => path.endsWith(`/${PROBE}`) || path === PROBE;
  const posts = readPosts(
    files,
    content,
    pages.filter((page) => !isProbe(page)),
    { isArticlePath, slug: slugOfFile },
  );
  const siteUrl = siteUrlOf(files, config);
  const inferred = permalinkOf(posts, pages.find(isProbe)?.address, timeZone);
  const layout =
    textOf(answer.defaults, 'layout') === undefined ? layoutOf(posts, answer.layouts) : undefined;
  const { output, build, warnings } = outputOf(files, text('destination'));
  const keys = keysOfPosts(posts, KEYS);
  const major = Number.parseInt(answer.version || '3', 10);
  const isRoot = folder(text('source') ?? '') === '';
  const excludes = isRoot ? excludeEdit(files, major) : undefined;
  return {
    siteUrl,
    language: text('lang') ?? text('language') ?? text('locale'),
    theme: text('theme') ?? text('remote_theme'),
    content,
    // Jekyll takes a file for a post only if its name begins with a date, which need not be that of the front matter.
    file: `${inferFile(posts, timeZone)?.pattern.replace(/[^/]*$/, '') ?? ''}:year-:month-:day-:slug.md`,
    permalink: inferred.pattern,
    output,
    build,
    frontMatter: layout === undefined ? {} : { layout },
    options: optionsOf(files, answer, keys),
    edits: excludes === undefined ? [] : [excludes],
    ignore: [`${output}/`, '.jekyll-cache/', '.jekyll-metadata'],
    questions: [...(siteUrl === undefined ? [NO_URL] : []), ...permalinkQuestions(inferred)],
    tags: tagsOfPosts(posts, keys.tags ?? KEYS.tags),
    ...(siteUrl !== undefined && { sources: { siteUrl: 'url and baseurl' } }),
    warnings: [
      ...problems(files),
      ...(isRoot && excludes === undefined ? unexcluded(files, major) : []),
      ...warnings,
    ],
  };
}

function answerIn(printed: string | undefined): JekyllAnswer {
  const { version, config, layouts, pages, defaults } = mapOf(
    printed === undefined ? {} : JSON.parse(printed),
  );
  return {
    version: typeof version === 'string' ? version : '',
    config: mapOf(config),
    layouts: Array.isArray(layouts) ? layouts.map(String) : [],
    pages: (pages as readonly ListedPage[] | undefined) ?? [],
    defaults: mapOf(defaults),
  };
}

/** A text of the configuration without white space around it; undefined for an empty one. */
function textOf(config: ValueMap, key: string): string | undefined {
  const value = config[key];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** A folder's path without `./` and a slash at its end; empty for the site's folder. */
function folder(path: string): string {
  return path.replace(/^(?:\.?\/)+|^\.$|\/+$/g, '');
}

/** The public address: `url` and `baseurl`, or the domain in `CNAME`. */
function siteUrlOf(files: SiteFiles, config: ValueMap): string | undefined {
  const domain = files.read('CNAME')?.trim();
  const url = textOf(config, 'url') ?? (domain ? `https://${domain}` : '');
  if (!/^https?:\/\/[^/\s]+/.test(url)) return undefined;
  const base = folder(textOf(config, 'baseurl') ?? '');
  return `${url.replace(/\/+$/, '')}${base === '' ? '' : `/${base}`}`;
}

/** A new article has no categories, so its address is that of the probe, unless most posts name their own. */
function permalinkOf(
  posts: readonly SitePost[],
  probed: string | undefined,
  timeZone: string | undefined,
): Inferred {
  const own = posts.filter(({ data }) => typeof data.permalink === 'string');
  const probe = {
    path: PROBE,
    slug: 'probe',
    date: '2001-02-03',
    address: probed ?? '/2001/02/03/probe.html',
  };
  const inferred = own.length * 2 > posts.length ? inferPermalink(own, timeZone) : inferPermalink([probe]);
  return inferred ?? { pattern: '/:year/:month/:day/:slug.html', isCommon: true };
}

/** The layout that a new article has to name. */
function layoutOf(posts: readonly SitePost[], layouts: readonly string[]): string | undefined {
  const { layout } = sharedFrontMatter(posts, ['layout']);
  return typeof layout === 'string'
    ? layout
    : ['post', 'page', 'default'].find((name) => layouts.includes(name));
}

function optionsOf(
  files: SiteFiles,
  { version, config }: JekyllAnswer,
  keys: NonNullable<GeneratorOptions['keys']>,
): GeneratorOptions {
  const timeZone = knownTimeZone(textOf(config, 'timezone'));
  const renderer = textOf(config, 'markdown');
  // Without a Gemfile, the host may have another version: GitHub Pages has Jekyll 3. Escapes are right in both.
  const isCertain =
    files.read('Gemfile') !== undefined || JSON.stringify(config).includes('"render_with_liquid"');
  return {
    ...(timeZone !== undefined && { timeZone }),
    ...(isCertain && Number.parseInt(version, 10) >= 4 && { templateSwitch: true }),
    ...(renderer !== undefined && !/^kramdown$/i.test(renderer) && { rawHtml: true }),
    ...(config.future === true && { futurePages: true }),
    ...(Object.keys(keys).length > 0 && { keys }),
  };
}

/** The folder of the built site, and the command that builds it. */
function outputOf(files: SiteFiles, destination: string | undefined): Output {
  const { build: script } = npmScripts(files);
  const own = script !== undefined && /\bjekyll\b/.test(script) ? script : undefined;
  const flag = /(?:--destination|-d)[ =]["']?([^\s"']+)/.exec(own ?? '')?.[1];
  const command =
    own !== undefined ? 'npm run build' : usesBundler(files) ? 'bundle exec jekyll build' : 'jekyll build';
  const source = flag === undefined ? 'destination' : 'The destination in package.json';
  const output = flag ?? destination ?? '_site';
  return outputInside(
    /^(?:\/|\.\.)/.test(output) ? output : folder(output) || '_site',
    source,
    'jekyll',
    command,
  );
}

function unexcluded(files: SiteFiles, major: number): Problem[] {
  const missing = missingExcludes(files, major);
  if (missing.length === 0) return [];
  return [
    {
      level: 'warn',
      text: `Jekyll does not exclude ${missing.join(', ')}, and publishes or watches Pressmark's files.`,
      fix: `Add these lines to exclude in ${configPath(files) ?? '_config.yml'}.`,
    },
  ];
}
