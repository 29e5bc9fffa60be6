import type { Problem, Question, SiteFacts, SiteFiles, SiteSettings } from '../generator.js';
import { missingIgnoreLines } from '../git-ignore.js';
import type { ValueMap } from '../value.js';
import { contentFolder, listIn, outputOf, readConfig, siteUrlOf, textIn } from './config.js';
import { excludeEdit, UNEXCLUDED } from './excludes.js';
import { options } from './options.js';
import { permalinkRule, pressmarkPattern } from './permalink.js';
import { layoutOf, readPosts } from './posts.js';
import { problems } from './problems.js';

/** What `init` reads of a Jekyll site. */
export function inspect(files: SiteFiles): SiteFacts {
  const { data: config, path: configFile } = readConfig(files);
  const questions: Question[] = [];
  const content = contentFolder(config);
  const posts = readPosts(files, content);
  const siteUrl = siteUrlOf(files, config);
  if (siteUrl === undefined)
    questions.push({
      flag: 'site-url',
      text: `${configFile} has no url. At which address, with its path, is the site published?`,
    });
  const rule = permalinkRule(config, posts);
  const { pattern, unknown } = pressmarkPattern(rule);
  if (unknown.length > 0)
    questions.push({
      flag: 'permalink',
      text: `The site's permalink ${rule} has ${unknown.map((token) => `:${token}`).join(', ')}, which a new article's address cannot have. Which address should new articles get?`,
      fallback: pattern,
    });
  const layout = layoutOf(files, config, posts);
  const { output, build, warnings } = outputOf(files, config, configFile);
  const excludes = excludeEdit(files, config);
  const site: SiteSettings = { siteUrl: siteUrl ?? '', content, output };
  return {
    siteUrl,
    language: textIn(config, 'lang') ?? textIn(config, 'language') ?? textIn(config, 'locale'),
    theme: textIn(config, 'theme') ?? textIn(config, 'remote_theme'),
    content,
    file: ':year-:month-:day-:slug.md',
    permalink: pattern,
    output,
    build,
    frontMatter: layout === undefined ? {} : { layout },
    options: options(files),
    edits: excludes === undefined ? [] : [excludes],
    ignore: missingIgnoreLines(files, [`${output}/`, '.jekyll-cache/', '.jekyll-metadata']),
    questions,
    ...(siteUrl !== undefined && { sources: { siteUrl: `url and baseurl in ${configFile}` } }),
    warnings: [
      // What `edits` is about to fix is not worth a warning.
      ...problems(files, site, layout).filter(
        ({ text }) => excludes === undefined || !text.includes(UNEXCLUDED),
      ),
      ...warnings,
      ...secondJsonLd(files, config),
    ],
  };
}

/** What `init` says before there are pages; `doctor` sees on the pages themselves whether it is so. */
function secondJsonLd(files: SiteFiles, config: ValueMap): Problem[] {
  const plugins = [...listIn(config, 'plugins'), ...listIn(config, 'gems')];
  const isInGems = /["']jekyll-seo-tag["']/.test(files.read('Gemfile') ?? '');
  if (!plugins.includes('jekyll-seo-tag') && !isInGems && textIn(config, 'theme') !== 'minima') return [];
  return [
    {
      level: 'warn',
      text: 'jekyll-seo-tag prints a BlogPosting JSON-LD of its own, so that an article has two.',
      fix: "Add seo: { type: 'WebPage' } to articles.frontMatter in pressmark.config.mjs, before the first article.",
    },
  ];
}
