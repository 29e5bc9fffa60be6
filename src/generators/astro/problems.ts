import { quote } from '../../errors.js';
import type { Problem, SiteFiles, SiteSettings } from '../generator.js';
import { type Collection, folderOf, refusesOurKey } from './collections.js';
import { NAMES, readSite, type Site, setting, siteUrlOf } from './config.js';
import { optionsOf } from './options.js';
import { neededKeys } from './posts.js';

/** Plugins for Markdown that read files which an article names. */
const READING_PLUGINS =
  /\b(?:remark-code-import|remark-import|remark-include|remark-embed(?:der)?|rehype-inline)\b/;

/** What `doctor` finds in an Astro site. */
export function problems(files: SiteFiles, settings: SiteSettings): readonly Problem[] {
  const site = readSite(files);
  const found = [...configProblems(site)];
  const siteUrl = siteUrlOf(site);
  if (siteUrl !== undefined && siteUrl !== settings.siteUrl)
    found.push({
      level: 'fail',
      text: `The site is built for ${siteUrl}, but siteUrl is ${settings.siteUrl}.`,
      fix: 'Make siteUrl in pressmark.config.mjs the same as site and base in astro.config.',
    });
  found.push(...otherBase(site, settings.siteUrl));
  const publicDir = folderOf(setting(site, 'publicDir')) ?? 'public';
  if (folderOf(settings.output) === publicDir)
    found.push({
      level: 'fail',
      text: `The setting output is ${settings.output}, which Astro copies into the site: it holds files of yours.`,
      fix: `Set output to '${folderOf(setting(site, 'outDir')) ?? 'dist'}'.`,
    });
  const { collection } = site;
  const content = folderOf(settings.content);
  if (
    collection?.base !== undefined &&
    content !== undefined &&
    !`${content}/`.startsWith(`${collection.base}/`)
  )
    found.push({
      level: 'fail',
      text: `Articles are stored in ${settings.content}, but the collection ${collection.name} reads ${collection.base}.`,
      fix: `Set content to '${collection.base}' in pressmark.config.mjs.`,
    });
  found.push(...refusals(collection));
  const missing = demandedKeys(files, site, settings.written);
  if (missing.length > 0)
    found.push({
      level: 'fail',
      text: `${collection?.configFile} demands ${missing.join(', ')}, which not every article has; one without breaks the build.`,
      fix: `Add ${missing.join(' and ')} to articles.frontMatter in pressmark.config.mjs, or make it optional in the schema.`,
    });
  return found;
}

/** A schema that refuses each article. */
export function refusals(collection: Collection | undefined): Problem[] {
  if (collection === undefined || !refusesOurKey(collection)) return [];
  return [
    {
      level: 'fail',
      text: `The schema of ${collection.name} refuses keys that it does not name, and each article has a key pressmark.`,
      fix: `Add the line  pressmark: z.unknown().optional(),  to the schema in ${collection.configFile}${collection.schema?.insertAt === undefined ? ' or a module that it imports' : ''}.`,
    },
  ];
}

/** The keys that the schema demands and that new articles do not have. */
function demandedKeys(files: SiteFiles, site: Site, written: readonly string[] | undefined): string[] {
  if (written === undefined) return [];
  const { constants, questions } = neededKeys(files, site, optionsOf(files, site));
  const needed = [...Object.keys(constants), ...questions.flatMap(({ key }) => key ?? [])];
  return needed.filter((name) => !written.includes(name));
}

/** Without a site in the configuration, links still have its base. */
function otherBase(site: Site, siteUrl: string): Problem[] {
  if (siteUrl === '' || site.config.has('site')) return [];
  const base = setting(site, 'base');
  if (site.config.has('base') && base === undefined) return [];
  const path = new URL(siteUrl).pathname.replace(/^\/+|\/+$/g, '');
  if ((base ?? '').replace(/^\/+|\/+$/g, '') === path) return [];
  return [
    {
      level: 'fail',
      text: `base in astro.config is ${base === undefined ? 'not set' : quote(base)}, but siteUrl is ${siteUrl}: links lead to the wrong path`,
      fix: `set site: '${new URL(siteUrl).origin}'${path === '' ? ' and no base' : ` and base: '/${path}'`} in astro.config`,
    },
  ];
}

/** What in the site's configuration can make an article break the build, or show it otherwise than it was sent. */
export function configProblems(site: Site): Problem[] {
  const found: Problem[] = [];
  const { collection } = site;
  if (collection !== undefined && collection.patterns.length > 0 && !collection.patterns.some(readsMarkdown))
    found.push({
      level: 'fail',
      text: `The loader of ${collection.name} reads ${collection.patterns.join(', ')}, but no .md files below its base.`,
      fix: `Add '**/*.md' to its pattern in ${collection.configFile}.`,
    });
  for (const { name, kind, limit } of collection?.schema?.keys ?? []) {
    const isOurs = Object.values(NAMES).some((names) => names.includes(name));
    if (isOurs && limit !== undefined && kind !== 'number')
      found.push({
        level: 'warn',
        text: `${collection?.configFile} accepts ${name} only with ${limit}; an article that does not comply breaks the build of the whole site.`,
        fix: `Remove ${limit}, as the service does not know this rule.`,
      });
    if (NAMES.tags.includes(name) && kind !== 'list')
      found.push({
        level: 'warn',
        text: `${collection?.configFile} does not accept any text as one of ${name}; articles are stored without them.`,
        fix: `Make it ${name}: z.array(z.string()).`,
      });
    if (NAMES.date.includes(name) && kind === 'day')
      found.push({
        level: 'fail',
        text: `${name} is a day as a text, a form in which no article can be written.`,
        fix: `Make it ${name}: z.coerce.date().`,
      });
  }
  const reading = READING_PLUGINS.exec(site.configText)?.[0];
  if (reading !== undefined)
    found.push({
      level: 'fail',
      text: `${reading} puts files into a page that its Markdown names; an article could publish .env.`,
      fix: `Remove ${reading}, or set articles.body to 'html', which Markdown plugins do not see.`,
    });
  else if (
    /\b(?:remarkPlugins|rehypePlugins|mdastPlugins|hastPlugins)\s*:\s*\[\s*[^\]\s]/.test(site.configText)
  )
    found.push({
      level: 'warn',
      text: "The site's Markdown plugins see the text of articles too, and may change it.",
      fix: "Set articles.body to 'html' in pressmark.config.mjs, unless the plugins are harmless with any text.",
    });
  if (/^\s*["']server["']/.test(site.config.get('output') ?? ''))
    found.push({
      level: 'warn',
      text: "The setting output is 'server': pages that are made on request are not files, and Pressmark cannot check them.",
      fix: 'Put  export const prerender = true;  into the page of the articles.',
    });
  return found;
}

/** Whether a pattern of glob() reads an `.md` file in the base folder itself. */
function readsMarkdown(pattern: string): boolean {
  const name = pattern.slice(pattern.lastIndexOf('/') + 1);
  const folder = pattern.slice(0, pattern.length - name.length);
  return (
    !pattern.startsWith('!') &&
    (folder === '' || folder === '**/' || folder === './') &&
    /(?:^|[.{,(|])md(?:$|[},)|])|\.\*$|^\*$/.test(name)
  );
}
