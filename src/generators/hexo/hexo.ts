import { defined, mapOf, textsOf } from '../../article/plain-data.js';
import type { AddressQuery, AskedSite, Generator, ListedPage, SiteFacts, SiteFiles } from '../generator.js';
import { nodeCommand } from '../inspect/ask.js';
import { inferFile, inferPermalink, permalinkQuestions } from '../inspect/infer-pattern.js';
import { keptTagsOption, tagsInCode } from '../inspect/kept-tags.js';
import {
  firstFile,
  installedVersion,
  npmDependencies,
  npmScripts,
  untestedVersion,
} from '../inspect/manifests.js';
import { factsOfPosts } from '../inspect/post-fields.js';
import { type BuildSite, buildCommand, withArgument } from '../inspect/site-build.js';
import { filesBelow, folderPath, publicAddress } from '../inspect/site-files.js';
import { postsOfRule, readPosts } from '../inspect/site-posts.js';
import { knownTimeZone } from '../mapping/dates.js';
import { isArticlePath, KEYS, mapping, slugOfFile } from './mapping.js';

const CONFIG_FILES = ['_config.yml', '_config.yaml', '_config.json'];

/** A line by which a `_config.yml` is Hexo's: Jekyll's has the same name. */
const HEXO_KEY = /^["']?(?:source_dir|public_dir|new_post_name|skip_render)["']?\s*:/m;

/** Hexo 7; see docs/hexo.md. */
export const hexo: Generator = {
  name: 'hexo',
  packages: ['hexo'],
  recognise,
  inspect,
  mapping,
  configFiles: [...CONFIG_FILES, 'package.json', 'scripts'],
  caches: ['public', 'db.json', '.deploy_git'],
  addressQuery,
  pinsAddresses: true,
  staticFolder: () => 'source',
  problems: () => [],
};

function recognise(files: SiteFiles): string | undefined {
  const isHexo = npmDependencies(files).has('hexo');
  const path = firstFile(files, CONFIG_FILES);
  if (path === undefined) return isHexo ? 'package.json' : undefined;
  return isHexo || HEXO_KEY.test(files.read(path) ?? '') ? path : undefined;
}

/** How Hexo lists its posts. */
function addressQuery(): AddressQuery {
  return { command: hexoCommand('pages') };
}

/** What `init` finds out about a Hexo site. */
async function inspect({ files, ask }: AskedSite): Promise<SiteFacts> {
  const printed = await ask(hexoCommand('{ config, pages, theme }'), 'node -e "new Hexo().source.process()"');
  const answer = mapOf(JSON.parse(printed ?? '{}'));
  const config = mapOf(answer.config);
  const text = (key: string) => textsOf(config[key])[0]?.trim() || undefined;
  const timeZone = knownTimeZone(text('timezone'));
  const content = `${folderPath(text('source_dir') ?? 'source')}/_posts`;
  const pages = (answer.pages as readonly ListedPage[] | undefined) ?? [];
  const posts = readPosts(files, content, pages, { isArticlePath, slug: slugOfFile });
  const rule = patternOf(text('permalink') ?? ':year/:month/:day/:title/');
  const ofRule = postsOfRule(posts, 'permalink');
  const hasOwn = ofRule.length > 0 && ofRule.every(({ data }) => typeof data.permalink === 'string');
  const inferred = rule === undefined || hasOwn ? inferPermalink(ofRule, timeZone) : undefined;
  const { frontMatter, options } = factsOfPosts(posts, KEYS, ['layout', 'lang']);
  const output = folderPath(text('public_dir') ?? 'public');
  const [theme = 'themes'] = textsOf(answer.theme);
  const code = [theme, 'scripts'].flatMap((name) => filesBelow(files, folderPath(name)));
  return {
    // Links have the path `root`, which that of `url` should be.
    siteUrl: publicAddress(config.url, config.root === '/' ? undefined : config.root),
    siteUrlSource: 'url and root',
    language: text('language'),
    content,
    file:
      inferFile(posts, timeZone)?.pattern ?? patternOf(text('new_post_name') ?? '')?.slice(1) ?? ':slug.md',
    permalink: inferred?.pattern ?? rule ?? '/:year/:month/:day/:slug/',
    output,
    build: await buildOf({ files, ask }),
    frontMatter,
    options: {
      ...defined({ timeZone }),
      ...(config.future !== false && { futurePages: true }),
      ...options,
      ...keptTagsOption(tagsInCode(files, code)),
    },
    ignore: [`${output}/`, 'db.json', 'node_modules/'],
    questions: permalinkQuestions(inferred),
    warnings: untestedVersion(installedVersion(files, 'hexo'), 'Hexo 7', [7]),
  };
}

/** A rule of Hexo's, such as `:year/:title/`, as a pattern; undefined if it has parts that Pressmark cannot fill. */
function patternOf(rule: string): string | undefined {
  const pattern = `/${rule.replace(/^\/+/, '').replace(/:(?:title|post_title|name)\b/g, ':slug')}`;
  const isKnown = [...pattern.matchAll(/:(\w+)/g)].every(([, part = '']) =>
    ['slug', 'year', 'month', 'day'].includes(part),
  );
  return isKnown && pattern.includes(':slug') ? pattern : undefined;
}

/** The build. Without `--bail`, Hexo writes an empty page where a template fails, and calls the build a good one. */
async function buildOf(site: BuildSite): Promise<string> {
  const { build: script = '' } = npmScripts(site.files);
  const canBeAdded = /\bhexo\s+g(?:enerate)?(?:\s+-[\w-]+)*\s*$/.test(script);
  const command = await buildCommand(site, /\bhexo\s+g/, 'npx hexo generate --bail');
  return canBeAdded && !/\s(?:-b|--bail)\b/.test(script) ? withArgument(command, '--bail') : command;
}

/**
 * A command that has Hexo read its posts, without rendering any. Only those whose front matter begins with `---` are listed:
 * Pressmark does not read the others.
 *
 * @param answer JavaScript that makes a value of `config`, `pages` and `theme`.
 */
function hexoCommand(answer: string): string {
  return nodeCommand(`
import Hexo from 'hexo';
const hexo = new Hexo(process.cwd(), { silent: true });
await hexo.init();
await hexo.source.process();
hexo.locals.invalidate();
const { config } = hexo;
const folder = hexo.source_dir.slice(hexo.base_dir.length);
const theme = hexo.theme_dir.slice(hexo.base_dir.length);
const pages = hexo.locals
  .get('posts')
  .filter(({ raw }) => /^---\\n/.test(raw))
  .map(({ source, path }) => ({ path: folder + source, address: '/' + path.replace(/^\\/+/, '') }));
answer(${answer});
`);
}
