import { PressmarkError, quote } from '../../errors.js';
import type { Question, SiteFacts, SiteFiles } from '../generator.js';
import { isGitIgnored, missingIgnoreLines } from '../git-ignore.js';
import { isOutside, outputInside } from '../output-inside.js';
import { mapOf, textsOf, type ValueMap } from '../value.js';
import { buildCommand, readableConfig, shapeOf, siteUrlOf, textAt, valueAt } from './config.js';
import { optionsOf } from './options.js';
import { addressPattern } from './permalink.js';
import { datedFolder, readPosts, sectionOf, sharedFrontMatter } from './posts.js';
import { configProblems } from './problems.js';

/** What `init` reads of a Hugo site. */
export function inspect(files: SiteFiles): SiteFacts {
  const config = readableConfig(files);
  if (!('values' in config)) throw new PressmarkError('CONFIG_INVALID', `${config.text} ${config.fix}`);
  const { values } = config;
  const shape = shapeOf(config);
  const posts = readPosts(files, shape);
  const section = sectionOf(posts, values);
  const ofSection = posts.filter((post) => post.section === section);
  const folder = datedFolder(ofSection);
  const below = [section, folder].filter((part) => part !== '');
  const address = addressPattern(values, shape, section, below);
  const { command, script } = buildCommand(files);
  const inScript = /(?:^|\s)(?:-d|--destination)[ =]([\w./-]+)/.exec(script)?.[1];
  const { output, build, warnings } = outputInside(
    inScript ?? shape.output,
    inScript === undefined ? `publishDir in ${config.source}` : 'The destination in package.json',
    'hugo',
    command,
  );
  const siteUrl = siteUrlOf(shape.baseUrl);
  const questions: Question[] = [];
  if (siteUrl === undefined)
    questions.push({
      flag: 'site-url',
      text: `${config.source} has no absolute baseURL. What is the public address of the site?`,
    });
  if (address.unknown.length > 0)
    questions.push({
      flag: 'permalink',
      text: `The permalinks of ${quote(section)} use ${address.unknown.join(', ')}, which Pressmark's patterns do not have. Which address shall new articles have?`,
      fallback: address.pattern,
    });
  return {
    siteUrl,
    language:
      textAt(values, 'languages', shape.language, 'languagecode') ??
      textAt(values, 'languagecode') ??
      shape.language,
    theme: themeOf(values),
    content: shape.content,
    file: `${shape.languageFolder}${[...below, ':slug.md'].join('/')}`,
    permalink: address.pattern,
    output,
    build,
    frontMatter: sharedFrontMatter(ofSection),
    options: optionsOf(config),
    edits: [],
    ignore: ignoreLines(files, isOutside(shape.output) ? output : shape.output),
    questions,
    ...(siteUrl !== undefined && { sources: { siteUrl: `baseURL in ${config.source}` } }),
    warnings: [...configProblems(config), ...warnings],
  };
}

function themeOf(values: ValueMap): string | undefined {
  const imports = valueAt(values, 'module', 'imports');
  const modules = (Array.isArray(imports) ? imports : []).map((item) => textAt(mapOf(item), 'path') ?? '');
  return [...textsOf(values.theme), ...modules].filter((name) => name !== '').join(', ') || undefined;
}

/** Lines for what a build leaves behind. A folder that is there already may be committed on purpose. */
function ignoreLines(files: SiteFiles, output: string): string[] {
  const isSubmodule = new RegExp(`^\\s*path\\s*=\\s*${output.replace(/[.+]/g, '\\$&')}\\s*$`, 'm').test(
    files.read('.gitmodules') ?? '',
  );
  return missingIgnoreLines(files, [
    ...(isSubmodule || output === '.' || files.list(output).length > 0 ? [] : [`/${output}/`]),
    ...(files.list('resources/_gen').length > 0 || isGitIgnored(files, 'resources')
      ? []
      : ['/resources/_gen/']),
    '.hugo_build.lock',
  ]);
}
