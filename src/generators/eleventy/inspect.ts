import type { GeneratorOptions, Problem, Question, SiteFacts, SiteFiles } from '../generator.js';
import { missingIgnoreLines } from '../git-ignore.js';
import { joined } from '../own-modules.js';
import { readPackageJson } from '../package-json.js';
import { buildCommand, configFile, filesBelow, readSite, type Site, trimmed, trimmedEnd } from './config.js';
import { directoryData, frontMatter, isTemplateAddress, publicUrl, publicUrlOf, siteData } from './data.js';
import { isArticlePath } from './mapping.js';
import { siteOptions } from './options.js';
import { permalinkPattern } from './permalink.js';
import { isSpecial, keyNames, type Post, postsFolder, sharedFrontMatter } from './posts.js';
import { computedAddress, inertness, stateIsInput } from './problems.js';

/** What `init` reads of an Eleventy site. */
export function inspect(files: SiteFiles): SiteFacts {
  const site = readSite(files);
  const questions: Question[] = [];
  const warnings: Problem[] = [];
  const posts = filesBelow(files, site.input)
    .filter((path) => isArticlePath(path) && !isSpecial(site, path))
    .map((path): Post => ({ path, data: frontMatter(files.read(path) ?? '') }));
  const folder = postsFolder(site, posts);
  const content = folder ?? joined(site.input, 'posts');
  if (folder === undefined) {
    questions.push({
      flag: 'content',
      text: `No folder of posts was found below ${site.input || '.'}. In which folder do articles belong?`,
      fallback: content,
    });
  }
  const ours = posts.filter(({ path }) => path.startsWith(`${content}/`) || content === '');
  const folderData = directoryData(site, content);
  const siteUrl = siteAddress(site, questions, warnings);
  const permalink = permalinkPattern(site, content, ours, folderData, questions);
  const keys = keyNames(ours);
  const options: GeneratorOptions = { ...siteOptions(site), ...(Object.keys(keys).length > 0 && { keys }) };
  if (site.source === '' && configFile(files) === undefined && site.script.includes('--config')) {
    warnings.push({
      level: 'warn',
      text: 'The configuration file that package.json names with --config was not found.',
      fix: 'Check dir, pathPrefix and the address in pressmark.config.mjs.',
    });
  }
  return {
    siteUrl,
    language: siteData(site, ['language', 'lang', 'locale']),
    theme: undefined,
    content: content === '' ? '.' : content,
    file: ':slug.md',
    permalink,
    output: site.output,
    build: buildCommand(site),
    frontMatter: sharedFrontMatter(site, ours, folderData, warnings),
    options,
    edits: [],
    ignore: missingIgnoreLines(files, [`${site.output}/`, 'node_modules/']),
    questions,
    warnings: [
      ...warnings,
      ...inertness(site),
      ...computedAddress(site, content),
      ...stateIsInput(site, ['.pressmark/']),
    ],
  };
}

function siteAddress(site: Site, questions: Question[], warnings: Problem[]): string | undefined {
  const { homepage } = readPackageJson(site.files);
  const found = publicUrl(site) ?? publicUrlOf(homepage);
  if (found === undefined) {
    questions.push({ flag: 'site-url', text: 'What is the public address of the site?' });
    return undefined;
  }
  const path = `/${trimmed(found.pathname)}/`.replace('//', '/');
  const prefix = site.pathPrefix;
  if (prefix !== '/' && path !== '/' && path !== prefix) {
    warnings.push({
      level: 'warn',
      text: `The site's address ${found.href} and pathPrefix ${prefix} name different folders; ${prefix} was taken.`,
      fix: 'Correct siteUrl in pressmark.config.mjs if articles are elsewhere.',
    });
  }
  const address = found.origin + trimmedEnd(prefix === '/' ? path : prefix);
  if (!isTemplateAddress(found)) return address;
  questions.push({
    flag: 'site-url',
    text: `The site's data still has the address of its template, ${address}. What is the public address?`,
    fallback: address,
  });
  return undefined;
}
