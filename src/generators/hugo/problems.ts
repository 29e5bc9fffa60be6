import { quote } from '../../errors.js';
import type { Problem, SiteFiles, SiteSettings } from '../generator.js';
import { isOutside } from '../output-inside.js';
import { isTimeZone } from '../time-zone.js';
import { mapOf, textsOf, type ValueMap } from '../value.js';
import {
  buildCommand,
  cleanFolder,
  type HugoConfig,
  readableConfig,
  shapeOf,
  siteUrlOf,
  textAt,
} from './config.js';

function isIgnored(values: ValueMap, path: string): boolean {
  return textsOf(values.ignorefiles).some((pattern) => {
    try {
      return new RegExp(pattern).test(path);
    } catch {
      return false; // Go's own syntax; then doctor reports what may be ignored already
    }
  });
}

/** What `doctor` finds in a Hugo site. */
export function problems(files: SiteFiles, settings: SiteSettings): readonly Problem[] {
  const config = readableConfig(files);
  if (!('values' in config)) return [config];
  const { source } = config;
  const shape = shapeOf(config);
  const found = [...configProblems(config)];
  const siteUrl = siteUrlOf(shape.baseUrl);
  if (siteUrl !== undefined && siteUrl.toLowerCase() !== settings.siteUrl.replace(/\/+$/, '').toLowerCase())
    found.push({
      level: 'fail',
      text: `baseURL in ${source} is ${quote(shape.baseUrl)}, but siteUrl is ${quote(settings.siteUrl)}; Pressmark would answer addresses that the site does not have.`,
      fix: 'Give both the public address of the site, with its path.',
    });
  const content = cleanFolder(settings.content);
  if (content !== shape.content && !`${content}/`.startsWith(`${shape.content}/`) && shape.content !== '.')
    found.push({
      level: 'fail',
      text: `Hugo reads ${quote(`${shape.content}/`)}, but content is ${quote(settings.content)}; articles there get no page.`,
      fix: `Set content: '${shape.content}' in the configuration of Pressmark.`,
    });
  const { command, script } = buildCommand(files);
  const isElsewhere = command !== 'hugo' && /(?:^|\s)(?:-d|--destination)\b/.test(script);
  if (!isElsewhere && !isOutside(shape.output) && cleanFolder(settings.output) !== shape.output)
    found.push({
      level: 'fail',
      text: `Hugo writes to ${quote(`${shape.output}/`)}, but output is ${quote(settings.output)}.`,
      fix: `Set output: '${shape.output}' in the configuration of Pressmark.`,
    });
  return found;
}

/** What the configuration alone says. */
export function configProblems(config: HugoConfig): Problem[] {
  const { source, values } = config;
  const shape = shapeOf(config);
  const found: Problem[] = [];
  const disabled = textsOf(values.disablekinds).map((kind) => kind.toLowerCase());
  const handler = textAt(values, 'markup', 'defaultmarkdownhandler');
  const taxonomies = values.taxonomies;
  if (siteUrlOf(shape.baseUrl) === undefined)
    found.push({
      level: 'warn',
      text: `${source} has no absolute baseURL; feeds and canonical links do not name the site.`,
      fix: "Set baseURL to the site's public address.",
    });
  if (disabled.includes('page'))
    found.push({
      level: 'fail',
      text: `disableKinds in ${source} contains "page"; no article gets a page.`,
      fix: 'Remove "page" from disableKinds.',
    });
  if (
    disabled.includes('taxonomy') ||
    disabled.includes('term') ||
    (taxonomies !== undefined && !Object.values(mapOf(taxonomies)).includes('tags'))
  )
    found.push({
      level: 'warn',
      text: `${source} turns the pages of tags off; articles keep their tags, but nothing lists them.`,
      fix: 'Add tag = "tags" to taxonomies, and remove "taxonomy" and "term" from disableKinds, if you want such pages.',
    });
  if (handler !== undefined && handler !== 'goldmark')
    found.push({
      level: 'fail',
      text: `markup.defaultMarkdownHandler in ${source} is ${quote(handler)}; Pressmark writes Markdown for goldmark.`,
      fix: "Remove it, or set articles: { body: 'html' }.",
    });
  if (values.enableemoji === true)
    found.push({
      level: 'warn',
      text: `enableEmoji in ${source} replaces words such as :sun: in articles, in code too.`,
      fix: 'Remove enableEmoji if articles shall keep them.',
    });
  if (shape.timeZone !== undefined && !isTimeZone(shape.timeZone))
    found.push({
      level: 'warn',
      text: `timeZone in ${source} is ${quote(shape.timeZone)}, which is not known here; dates are written in UTC.`,
      fix: 'Use a name of the IANA database, such as Europe/Vienna.',
    });
  if (shape.content === '.' && !isIgnored(values, 'pressmark.config.mjs'))
    found.push({
      level: 'fail',
      text: `contentDir in ${source} is the folder of the site itself; Hugo would publish pressmark.config.mjs and stop at package.json.`,
      fix: `Add 'pressmark\\.config\\.', 'package(-lock)?\\.json$', '/node_modules/' and '/plugins/' to ignoreFiles, or set contentDir to a folder of its own.`,
    });
  return found;
}
