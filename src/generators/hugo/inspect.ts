import type { AskedSite, ListedPage, Question, SiteFacts, SiteFiles } from '../generator.js';
import { inferFile, inferPermalink, permalinkQuestions } from '../infer-pattern.js';
import { isOutside, outputInside } from '../output-inside.js';
import { npmScripts } from '../package-json.js';
import {
  keysOfPosts,
  postsOfRule,
  readPosts,
  type SitePost,
  sharedFrontMatter,
  tagsOfPosts,
} from '../site-posts.js';
import { addressQuery } from './addresses.js';
import { type HugoConfig, readConfig, readMounts } from './config.js';
import { isArticlePath, KEYS, slug } from './mapping.js';
import { problems } from './problems.js';

/** New versions print JSON if they are asked for it; Hugo 0.111 refuses the flag. */
const CONFIG = 'hugo config --format json 2>/dev/null || hugo config';

/** A post that is not there shows the rule of a section without posts; the copy of the site is thrown away. */
const PROBE = {
  command:
    "mkdir -p content/posts && printf -- '---\\ntitle: probe\\ndate: 2001-02-03\\n---\\n' > content/posts/probe.md && hugo list all",
  path: 'content/posts/probe.md',
};

const NO_URL: Question = {
  flag: 'site-url',
  text: 'Hugo has no absolute baseURL. What is the public address of the site?',
};

/** What `init` finds out about a Hugo site. */
export async function inspect({ files, ask }: AskedSite): Promise<SiteFacts> {
  const config = readConfig((await ask(CONFIG, 'hugo config')) ?? '');
  const siteUrl = siteUrlOf(config.baseUrl);
  const pages = async (command: string): Promise<readonly ListedPage[]> => {
    const printed = await ask(command, 'hugo list all');
    return printed === undefined ? [] : addressQuery().parse(printed, siteUrl ?? 'https://site.invalid');
  };
  const content = readMounts((await ask('hugo config mounts')) ?? '');
  const listed = ofLanguage(
    readPosts(files, content, await pages('hugo list all'), { isArticlePath, slug }),
    config,
  );
  const place = placeOf(listed, config.timeZone);
  const posts = listed.filter(({ path }) => path.startsWith(place?.folder ?? ''));
  const inferred =
    inferPermalink(postsOfRule(posts, 'url'), config.timeZone) ??
    (content === 'content' ? probed(await pages(PROBE.command)) : undefined);
  const { command, script } = buildCommand(files);
  const inScript = /(?:^|\s)(?:-d|--destination)[ =]([\w./-]+)/.exec(script)?.[1];
  const { output, build, warnings } = outputInside(
    inScript ?? config.output,
    inScript === undefined ? 'publishDir' : 'The destination in package.json',
    'hugo',
    command,
  );
  const keys = keysOfPosts(posts, KEYS);
  return {
    siteUrl,
    language: config.language,
    theme: config.theme,
    content,
    file: place?.pattern ?? 'posts/:slug.md',
    permalink: inferred?.pattern ?? '/posts/:slug/',
    output,
    build,
    frontMatter: sharedFrontMatter(posts, ['type', 'layout']),
    options: {
      rawHtml: config.rawHtml,
      ...(config.timeZone !== undefined && { timeZone: config.timeZone }),
      ...(Object.keys(keys).length > 0 && { keys }),
    },
    edits: [],
    ignore: ignoreLines(files, isOutside(config.output) ? output : config.output),
    questions: [...(siteUrl === undefined ? [NO_URL] : []), ...permalinkQuestions(inferred)],
    tags: tagsOfPosts(posts, keys.tags ?? KEYS.tags),
    ...(siteUrl !== undefined && { sources: { siteUrl: 'baseURL' } }),
    warnings: [...problems(files, { content }), ...warnings],
  };
}

/** The public address without a slash at its end; undefined for a `baseURL` that is not an absolute URL. */
function siteUrlOf(baseUrl: string | undefined): string | undefined {
  return baseUrl !== undefined && /^https?:\/\/[^/]/i.test(baseUrl) ? baseUrl.replace(/\/+$/, '') : undefined;
}

/** The posts in the language of new articles: neither `index.de.md` nor `content/de/` where that is another one. */
function ofLanguage(posts: readonly SitePost[], { languages, language: own }: HugoConfig): SitePost[] {
  const others = languages.filter((language) => language !== own);
  return posts.filter(({ path }) => {
    const named = /\.([^./]+)\.[^./]+$/.exec(path)?.[1] ?? '';
    return (
      !others.includes(named.toLowerCase()) && !others.includes(path.split('/', 1)[0]?.toLowerCase() ?? '')
    );
  });
}

/** Where a new article goes, and the folder of the posts like it. */
function placeOf(posts: readonly SitePost[], timeZone: string | undefined) {
  const inferred = inferFile(posts, timeZone);
  return inferred && { ...inferred, folder: /^(?:[^:]*\/)?/.exec(inferred.pattern)?.[0] ?? '' };
}

function probed(pages: readonly ListedPage[]) {
  const page = pages.find(({ path }) => path === PROBE.path);
  return (
    page &&
    inferPermalink([{ path: 'posts/probe.md', slug: 'probe', date: '2001-02-03', address: page.address }])
  );
}

/** `npm run build` where that calls Hugo; `script` is what is called in the end. */
function buildCommand(files: SiteFiles): { readonly command: string; readonly script: string } {
  const script = npmScripts(files).build ?? '';
  return /(?:^|[\s/&;])hugo(?:\s|$)/.test(script)
    ? { command: 'npm run build', script }
    : { command: 'hugo', script: '' };
}

/** Lines for what a build leaves behind. A folder that is there already may be committed on purpose. */
function ignoreLines(files: SiteFiles, output: string): string[] {
  const isSubmodule = new RegExp(`^\\s*path\\s*=\\s*${output.replace(/[.+]/g, '\\$&')}\\s*$`, 'm').test(
    files.read('.gitmodules') ?? '',
  );
  return [
    ...(isSubmodule || output === '.' || files.list(output).length > 0 ? [] : [`/${output}/`]),
    ...(files.list('resources/_gen').length > 0 ? [] : ['/resources/_gen/']),
    '.hugo_build.lock',
  ];
}
