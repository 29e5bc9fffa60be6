import type { AddressQuery, AskedSite, ListedPage, SiteFacts } from '../generator.js';
import { nodeCommand } from '../inspect/ask.js';
import { inferFile, inferPermalink, permalinkQuestions } from '../inspect/infer-pattern.js';
import { buildCommand, installedVersion, npmScripts } from '../inspect/manifests.js';
import {
  keysOfPosts,
  keysOption,
  knownTerms,
  postsOfRule,
  readPosts,
  sharedCategory,
  sharedFrontMatter,
} from '../inspect/site-posts.js';
import { knownTimeZone } from '../mapping/dates.js';
import { defined, mapOf, textsOf, type ValueMap } from '../value.js';
import { untestedVersion } from '../version.js';
import { isArticlePath, KEYS, slugOfFile } from './mapping.js';

/** How Hexo lists its posts. */
export function addressQuery(): AddressQuery {
  return { command: hexoCommand('pages'), parse: (printed) => JSON.parse(printed) as ListedPage[] };
}

/** What `init` finds out about a Hexo site. */
export async function inspect({ files, ask }: AskedSite): Promise<SiteFacts> {
  const printed = await ask(hexoCommand('{ config, pages }'), 'node -e "new Hexo().source.process()"');
  const answer = mapOf(JSON.parse(printed ?? '{}'));
  const config = mapOf(answer.config);
  const text = (key: string) => textsOf(config[key])[0]?.trim() || undefined;
  const timeZone = knownTimeZone(text('timezone'));
  const content = `${folder(text('source_dir') ?? 'source')}/_posts`;
  const pages = (answer.pages as readonly ListedPage[] | undefined) ?? [];
  const posts = readPosts(files, content, pages, { isArticlePath, slug: slugOfFile });
  const rule = patternOf(text('permalink') ?? ':year/:month/:day/:title/');
  const ofRule = postsOfRule(posts, 'permalink');
  const hasOwn = ofRule.length > 0 && ofRule.every(({ data }) => typeof data.permalink === 'string');
  const inferred = rule === undefined || hasOwn ? inferPermalink(ofRule, timeZone) : undefined;
  const keys = keysOfPosts(posts, KEYS);
  const output = folder(text('public_dir') ?? 'public');
  return {
    siteUrl: siteUrlOf(config),
    siteUrlSource: 'url and root',
    language: text('language'),
    content,
    file:
      inferFile(posts, timeZone)?.pattern ?? patternOf(text('new_post_name') ?? '')?.slice(1) ?? ':slug.md',
    permalink: inferred?.pattern ?? rule ?? '/:year/:month/:day/:slug/',
    output,
    build: await buildOf({ files, ask }),
    frontMatter: { ...sharedFrontMatter(posts, ['layout', 'lang']), ...sharedCategory(posts, keys) },
    options: {
      ...defined({ timeZone }),
      ...(config.future !== false && { futurePages: true }),
      ...keysOption(keys),
      ...knownTerms(posts, keys, {}),
    },
    edits: [],
    ignore: [`${output}/`, 'db.json', 'node_modules/'],
    questions: permalinkQuestions(inferred),
    warnings: untestedVersion(installedVersion(files, 'hexo'), 'Hexo 7', (major) => major === 7),
  };
}

/** The public address. Links have the path `root`, which the path of `url` should be. */
function siteUrlOf({ url, root }: ValueMap): string | undefined {
  if (typeof url !== 'string' || !/^https?:/.test(url) || !URL.canParse(url)) return undefined;
  const { origin, pathname } = new URL(url);
  const path = folder(typeof root === 'string' && root !== '/' ? root : pathname);
  return `${origin}${path === '' ? '' : `/${path}`}`;
}

/** A folder's path without slashes around it. */
function folder(path: string): string {
  return path.replace(/^(?:\.?\/)+|\/+$/g, '');
}

/** A rule of Hexo's, such as `:year/:title/`, as a pattern; undefined where it has parts that Pressmark cannot fill. */
function patternOf(rule: string): string | undefined {
  const pattern = `/${rule.replace(/^\/+/, '').replace(/:(?:title|post_title|name)\b/g, ':slug')}`;
  const isKnown = [...pattern.matchAll(/:(\w+)/g)].every(([, part = '']) =>
    ['slug', 'year', 'month', 'day'].includes(part),
  );
  return isKnown && pattern.includes(':slug') ? pattern : undefined;
}

/** The build. Without `--bail`, Hexo writes an empty page where a template fails, and calls the build a good one. */
async function buildOf(site: Pick<AskedSite, 'files' | 'ask'>): Promise<string> {
  const script = npmScripts(site.files).build;
  if (script === undefined || !/\bhexo\s+g/.test(script)) return 'npx hexo generate --bail';
  const canBeAdded = /\bhexo\s+g(?:enerate)?(?:\s+-[\w-]+)*\s*$/.test(script);
  const command = await buildCommand(site);
  if (!canBeAdded || /\s(?:-b|--bail)\b/.test(script)) return command;
  // Other package managers pass arguments on as they are.
  return `${command}${command.startsWith('npm ') ? ' --' : ''} --bail`;
}

/**
 * A command that has Hexo read its posts, without rendering any. Only those whose front matter begins with `---` are listed:
 * Pressmark does not read the others.
 *
 * @param answer JavaScript that makes a value of `config` and `pages`.
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
const pages = hexo.locals
  .get('posts')
  .filter(({ raw }) => /^---\\n/.test(raw))
  .map(({ source, path }) => ({ path: folder + source, address: '/' + path.replace(/^\\/+/, '') }));
answer(${answer});
`);
}
