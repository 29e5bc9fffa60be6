import { quote } from '../../errors.js';
import type { Problem, SiteFiles, SiteSettings } from '../generator.js';
import { isTimeZone } from '../time-zone.js';
import { mapOf } from '../value.js';
import {
  contentFolder,
  defaultsOfPosts,
  folder,
  hasTheme,
  layoutNames,
  listIn,
  readConfig,
  siteUrlOf,
  sourceFolder,
  textIn,
} from './config.js';
import { missingExcludes, UNEXCLUDED } from './excludes.js';
import { POST_NAME } from './mapping.js';
import { layoutOf, readPosts } from './posts.js';

/** What `doctor` finds in a Jekyll site. `init` hands in the layout that it gives to new articles. */
export function problems(files: SiteFiles, settings: SiteSettings, newLayout?: string): readonly Problem[] {
  const read = readConfig(files);
  const { path, data: config } = read;
  const found: Problem[] = [];
  const warn = (text: string, fix: string) => found.push({ level: 'warn', text, fix });
  const fail = (text: string, fix: string) => found.push({ level: 'fail', text, fix });

  if (read.kind === 'unreadable')
    fail(`${path} cannot be read: ${read.reason}`, `Correct ${path}; jekyll build shows the line.`);
  const url = siteUrlOf(files, config);
  if (url !== undefined && settings.siteUrl !== '' && url !== settings.siteUrl)
    warn(
      `The site is at ${url} in ${path} (url and baseurl), but siteUrl is ${settings.siteUrl}.`,
      `Make siteUrl in pressmark.config.mjs and url with baseurl in ${path} the same.`,
    );
  if (url === undefined && settings.siteUrl !== '') {
    const { origin, pathname } = new URL(settings.siteUrl);
    const base = folder(pathname);
    if (folder(textIn(config, 'baseurl') ?? '') !== base)
      warn(
        `baseurl in ${path} is ${quote(textIn(config, 'baseurl') ?? '')}, but siteUrl is ${settings.siteUrl}: links and style sheets lead to the wrong path.`,
        `Set baseurl: "${base === '' ? '' : `/${base}`}" and url: "${origin}" in ${path}.`,
      );
    else
      warn(
        `${path} has no url; feeds and canonical links do not name the site.`,
        `Set url: "${origin}" in ${path}.`,
      );
  }
  const missing = missingExcludes(files, config);
  if (missing.length > 0)
    warn(
      `${path} ${UNEXCLUDED} ${missing.join(', ')}: Jekyll publishes or watches Pressmark's files.`,
      `Add these lines to exclude in ${path}.`,
    );
  if (listIn(config, 'include').some((item) => item === '.env' || item === '.*' || item === '*'))
    fail(
      `include in ${path} publishes .env, which holds the signing secret.`,
      `Remove that entry from include, or add .env to exclude and remove it from include.`,
    );
  const layouts = layoutNames(files, config);
  const content = contentFolder(config);
  const layout =
    newLayout ??
    textIn(defaultsOfPosts(config), 'layout') ??
    layoutOf(files, config, readPosts(files, content));
  if (layout === undefined)
    warn(
      'The site has no layout for posts: an article becomes a page without head and body.',
      'Add _layouts/post.html, and layout: post to articles.frontMatter.',
    );
  else if (layout !== 'none' && !layouts.includes(layout) && !hasTheme(config))
    fail(
      `There is no layout ${layout} in _layouts, and the site has no theme.`,
      `Add _layouts/${layout}.html, or name another layout in articles.frontMatter.`,
    );
  const names = files.list(settings.content).filter((name) => !name.endsWith('/') && !name.startsWith('.'));
  const undated = names.filter(
    (name) => /\.(?:html|markdown|mkdown|mkdn|mkd|md)$/.test(name) && !POST_NAME.test(name),
  );
  if (undated.length > 0)
    warn(
      `Jekyll ignores ${undated.slice(0, 3).join(', ')}${undated.length > 3 ? ` and ${undated.length - 3} more` : ''} in ${settings.content}: the name does not begin with a date.`,
      `Rename such a file to YYYY-MM-DD-name, or move it to _drafts.`,
    );
  const others = postFoldersBelow(files, sourceFolder(config)).filter((other) => other !== content);
  if (others.length > 0)
    warn(
      `Jekyll also reads posts from ${others.slice(0, 3).join(', ')}${others.length > 3 ? ` and ${others.length - 3} more` : ''}, and Pressmark from ${content} alone: lookups do not find the others.`,
      `Move them to ${content}, and keep their addresses with the folder as their first category, such as categories: [${others[0]?.split('/').at(-2)}].`,
    );
  if (folder(settings.content) !== content)
    warn(
      `Articles are stored in ${settings.content}, but Jekyll reads posts from ${content}.`,
      `Set content: '${content}' in pressmark.config.mjs.`,
    );
  const renderer = textIn(config, 'markdown');
  const dialect = textIn(mapOf(config.kramdown), 'input');
  if (renderer !== undefined && !/^kramdown$/i.test(renderer))
    warn(
      `The site's Markdown renderer is ${renderer}, with which Pressmark has not been tested.`,
      "Set body: 'html' below articles in pressmark.config.mjs.",
    );
  else if (dialect !== undefined && dialect !== 'GFM')
    warn(
      `kramdown reads ${dialect} here and not GFM, so that fenced code is not code.`,
      "Set body: 'html' below articles in pressmark.config.mjs.",
    );
  const extensions = textIn(config, 'markdown_ext');
  if (
    extensions !== undefined &&
    !extensions
      .split(',')
      .map((name) => name.trim())
      .includes('md')
  )
    fail(
      `markdown_ext in ${path} does not include md: Jekyll prints Markdown as it is.`,
      `Add md to markdown_ext, or set body: 'html' below articles.`,
    );
  const zone = textIn(config, 'timezone');
  if (zone !== undefined && !isTimeZone(zone))
    warn(
      `timezone ${zone} in ${path} is not an IANA name; dates are written in UTC.`,
      'Write a name such as Europe/Rome.',
    );
  if (config.show_drafts === true)
    warn(`show_drafts in ${path} publishes drafts.`, 'Remove it, and pass --drafts to jekyll serve instead.');
  if (config.unpublished === true)
    warn(
      `unpublished in ${path} publishes posts with published: false, which lookups do not resolve.`,
      'Remove it, and pass --unpublished to jekyll serve instead.',
    );
  if (typeof config.limit_posts === 'number' && config.limit_posts > 0)
    fail(`limit_posts in ${path} drops all but ${config.limit_posts} posts.`, 'Remove it.');
  return found;
}

/** Where Jekyll looks for posts: each folder of the site may have its `_posts`. Symbolic links can make circles of folders. */
function postFoldersBelow(files: SiteFiles, parent: string, depth = 0): readonly string[] {
  if (depth > MOST_FOLDERS_DEEP) return [];
  return files.list(parent).flatMap((name) => {
    const path = `${parent === '' ? '' : `${parent}/`}${name.slice(0, -1)}`;
    if (!name.endsWith('/') || name === 'node_modules/' || path === 'vendor') return [];
    if (name === '_posts/') return [path];
    return /^[._#~]/.test(name) ? [] : postFoldersBelow(files, path, depth + 1);
  });
}

const MOST_FOLDERS_DEEP = 3;
