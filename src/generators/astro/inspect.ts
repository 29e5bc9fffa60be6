import type { Problem, Question, SiteFacts, SiteFiles } from '../generator.js';
import { missingIgnoreLines } from '../git-ignore.js';
import { contentConfigs, folderOf, strictEdit } from './collections.js';
import { readSite, type Site, setting, siteUrlOf } from './config.js';
import { objectSource, resolved, stringOf } from './js-objects.js';
import { optionsOf } from './options.js';
import { likelyRoute, permalinkOf, routeOf } from './permalink.js';
import { below, neededKeys, tagsOf } from './posts.js';
import { configProblems, refusals } from './problems.js';

/** What `init` reads of an Astro site. */
export function inspect(files: SiteFiles): SiteFacts {
  const site = readSite(files);
  const { collection } = site;
  const questions: Question[] = [];
  const warnings: Problem[] = [...configProblems(site)];
  const siteUrl = siteUrlOf(site);
  if (siteUrl === undefined)
    questions.push({
      flag: 'site-url',
      text: 'What is the public address of the site, with its base path? astro.config does not say it as plain text',
    });

  const content = collection?.base ?? `${site.srcDir}/content/${collection?.name ?? 'blog'}`;
  if (collection?.base === undefined)
    questions.push({
      flag: 'content',
      text:
        collection === undefined
          ? `Which folder holds the articles? ${contentConfigs(site.srcDir)[3]} defines no collection that reads like one of articles`
          : `Which folder does the collection ${collection.name} read? ${collection.configFile} computes it`,
      fallback: content,
    });

  const file = filePattern(collection?.patterns ?? []);
  const route = routeOf(files, site);
  const permalink = permalinkOf(
    site,
    route ?? likelyRoute(files, site) ?? { path: '', folder: collection?.name ?? 'blog', isIndex: false },
  );
  if (route === undefined || collection?.hasOwnIds === true)
    questions.push({
      flag: 'permalink',
      text: `At which address is the page of ${content}/${file}? No page below ${site.srcDir}/pages makes it clear`,
      fallback: permalink,
    });

  const options = optionsOf(files, site);
  const needed = neededKeys(files, site, options);
  questions.push(...needed.questions);
  const strict = strictEdit(files, collection);
  return {
    siteUrl,
    language: languageOf(files, site),
    theme: undefined,
    content,
    file,
    permalink,
    output: folderOf(setting(site, 'outDir')) ?? 'dist',
    build: /"build"\s*:/.test(scriptsOf(files)) ? 'npm run build' : 'npx astro build',
    frontMatter: needed.constants,
    options,
    edits: strict === undefined ? [] : [strict],
    ignore: missingIgnoreLines(files, [
      `${folderOf(setting(site, 'outDir')) ?? 'dist'}/`,
      '.astro/',
      'node_modules/',
    ]),
    questions,
    tags: tagsOf(files, site, options),
    sources: {
      ...(siteUrl === undefined ? {} : { siteUrl: 'site and base in astro.config' }),
      ...(collection === undefined
        ? {}
        : { content: `the collection ${collection.name} in ${collection.configFile}` }),
      ...(route === undefined ? {} : { permalink: route.path }),
    },
    warnings: [...warnings, ...(strict === undefined ? refusals(collection) : []), ...needed.warnings],
  };
}

/** Where a new article goes: a loader may read one file of each folder alone. */
const filePattern = (patterns: readonly string[]): string => {
  const read = patterns.filter((pattern) => !pattern.startsWith('!'));
  const isFolder =
    read.length > 0 && read.every((pattern) => /\/index\.(?:md|\{[^}]*\bmd\b[^}]*\})$/.test(pattern));
  return isFolder ? ':slug/index.md' : ':slug.md';
};

const scriptsOf = (files: SiteFiles): string =>
  /"scripts"\s*:\s*\{[^}]*\}/.exec(files.read('package.json') ?? '')?.[0] ?? '';

function languageOf(files: SiteFiles, site: Site): string | undefined {
  const i18n = objectSource(resolved(site.config.get('i18n'), site.configText));
  const locale = stringOf(i18n.get('defaultLocale'));
  if (locale !== undefined) return locale;
  for (const path of below(files, site.srcDir, 4).filter((name) => name.endsWith('.astro'))) {
    const lang = /<html[^>]*\slang=(?:"([\w-]+)"|'([\w-]+)'|\{\s*["']([\w-]+)["']\s*\})/.exec(
      files.read(path) ?? '',
    );
    if (lang !== null) return lang[1] ?? lang[2] ?? lang[3];
  }
  return undefined;
}
