import { mapOf, textAt, textsOf } from '../../article/plain-data.js';
import type { AskedSite, Generator, SiteFacts, SiteFiles } from '../generator.js';
import { answerTo, nodeCommand, pagesIn, pagesOf } from '../inspect/ask.js';
import { siteFacts } from '../inspect/facts.js';
import { inferFile, inferPermalink } from '../inspect/infer-pattern.js';
import {
  firstFile,
  installedVersion,
  npmDependencies,
  npmScripts,
  untestedVersion,
} from '../inspect/manifests.js';
import { keysOfPosts } from '../inspect/post-fields.js';
import { type BuildSite, buildCommand, withArgument } from '../inspect/site-build.js';
import { folderPath, publicAddress } from '../inspect/site-files.js';
import { postsOfRule, readPosts } from '../inspect/site-posts.js';
import { knownTimeZone } from '../mapping/dates.js';
import { isArticlePath, KEYS, mapping, slug } from './mapping.js';

const CONFIG_FILES = ['_config.yml', '_config.yaml', '_config.json'];

/** A line that identifies Hexo's `_config.yml`: Jekyll's file has the same name. */
const HEXO_KEY = /^["']?(?:source_dir|public_dir|new_post_name|skip_render)["']?\s*:/m;

/** Hexo 7; see docs/hexo.md. */
export const hexo: Generator = {
  name: 'hexo',
  packages: ['hexo'],
  recognise,
  inspect,
  mapping,
  // Not package.json: a build writes Hexo's version into it. The lock files name the installed plugins.
  configFiles: [...CONFIG_FILES, 'scripts'],
  caches: ['public', 'db.json', '.deploy_git'],
  addressQuery: () => ({ command: ASK, parse: pagesIn }),
  pinsAddresses: true,
  staticFolder: () => 'source',
};

function recognise(files: SiteFiles): string | undefined {
  const path = firstFile(files, CONFIG_FILES);
  const isHexo = npmDependencies(files).has('hexo') || HEXO_KEY.test(files.read(path ?? '') ?? '');
  return isHexo ? path : undefined;
}

/** Finds out the facts about a Hexo site for `init`. */
async function inspect(site: AskedSite): Promise<SiteFacts> {
  const { files } = site;
  const answer = await answerTo(site, ASK, 'node -e "new Hexo().source.process()"');
  const config = mapOf(answer.config);
  const text = (key: string) => textAt(config, key);
  const timeZone = knownTimeZone(text('timezone'));
  const content = `${folderPath(text('source_dir') ?? 'source')}/_posts`;
  const posts = readPosts(files, content, pagesOf(answer), { isArticlePath, slug });
  const rule = patternOf(text('permalink') ?? ':year/:month/:day/:title/');
  const ofRule = postsOfRule(posts, 'permalink');
  const hasOwn = ofRule.length > 0 && ofRule.every(({ data }) => typeof data.permalink === 'string');
  const output = folderPath(text('public_dir') ?? 'public');
  return siteFacts({
    posts,
    keys: keysOfPosts(posts, KEYS),
    shared: ['layout', 'lang'],
    // Links begin with the path `root`, which should equal the path of `url`.
    siteUrl: publicAddress(config.url, config.root === '/' ? undefined : config.root),
    siteUrlSource: 'url and root',
    language: textsOf(config.language)[0],
    content,
    file:
      inferFile(posts, timeZone)?.pattern ?? patternOf(text('new_post_name') ?? '')?.slice(1) ?? ':slug.md',
    inferred: rule === undefined || hasOwn ? inferPermalink(ofRule, timeZone) : undefined,
    usualPermalink: rule ?? '/:year/:month/:day/:slug/',
    output,
    build: await buildOf(site),
    options: {
      timeZone,
      futurePages: config.future === false ? undefined : true,
    },
    ignore: [`${output}/`, 'db.json', 'node_modules/'],
    warnings: untestedVersion(installedVersion(files, 'hexo'), 'Hexo 7', [7]),
  });
}

/** Converts a rule of Hexo, such as `:year/:title/`, to a pattern; undefined if it has parts that Pressmark cannot fill. */
function patternOf(rule: string): string | undefined {
  const pattern = `/${rule.replace(/^\/+/, '').replace(/:(?:title|post_title|name)\b/g, ':slug')}`;
  const isKnown = [...pattern.matchAll(/:(\w+)/g)].every(([, part = '']) =>
    ['slug', 'year', 'month', 'day'].includes(part),
  );
  return isKnown && pattern.includes(':slug') ? pattern : undefined;
}

/** The build command. Without `--bail`, Hexo writes an empty page if a template fails, and the build succeeds. */
async function buildOf(site: BuildSite): Promise<string> {
  const { build: script = '' } = npmScripts(site.files);
  const canBeAdded = /\bhexo\s+g(?:enerate)?(?:\s+-[\w-]+)*\s*$/.test(script);
  const command = await buildCommand(site, /\bhexo\s+g/, 'npx hexo generate --bail');
  return canBeAdded && !/\s(?:-b|--bail)\b/.test(script) ? withArgument(command, '--bail') : command;
}

/**
 * Makes Hexo read its posts without rendering them. Only posts whose front matter begins with `---` are listed: Pressmark does
 * not read the others.
 */
const ASK = nodeCommand(`
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
answer({ config, pages });
`);
