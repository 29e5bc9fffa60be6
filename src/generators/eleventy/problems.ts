import type { Problem, SiteFiles, SiteSettings } from '../generator.js';
import { isGitIgnored } from '../git-ignore.js';
import { joined } from '../own-modules.js';
import { SWITCH } from './body.js';
import {
  configFile,
  dropsRawHtml,
  filesBelow,
  readSite,
  type Site,
  switchOff,
  templateFormats,
  trimmed,
  trimmedEnd,
  urlOf,
} from './config.js';
import { directoryData, isTemplateAddress, publicUrl } from './data.js';
import { property } from './js-literals.js';

/** What `doctor` finds in an Eleventy site. */
export function problems(files: SiteFiles, settings: SiteSettings): readonly Problem[] {
  const site = readSite(files);
  const found: Problem[] = [
    ...inertness(site),
    ...computedAddress(site, joined('', settings.content)),
    ...stateIsInput(site, []),
  ];
  const said = publicUrl(site);
  const own = urlOf(settings.siteUrl);
  const path = own?.pathname ?? '/';
  if (said !== undefined && own !== null && !isTemplateAddress(said) && said.origin !== own.origin) {
    found.push({
      level: 'warn',
      text: `The site's data has the address ${said.href}, but siteUrl is ${settings.siteUrl}.`,
      fix: "Make siteUrl in pressmark.config.mjs and the address in the site's data the same.",
    });
  }
  if (site.pathPrefix === '/' && path !== '/' && trimmed(said?.pathname ?? '') !== trimmed(path)) {
    found.push({
      level: 'warn',
      text: `siteUrl is ${settings.siteUrl}, but Eleventy has no pathPrefix: links and style sheets lead to the wrong path.`,
      fix: `Set pathPrefix: '${trimmedEnd(path)}/' in ${configFile(files) ?? 'the configuration of Eleventy'}.`,
    });
  }
  if (site.pathPrefix !== '/' && `${trimmedEnd(path)}/` !== site.pathPrefix) {
    found.push({
      level: 'fail',
      text: `Eleventy's pathPrefix is ${site.pathPrefix}, but siteUrl is ${settings.siteUrl}.`,
      fix: `Let siteUrl in pressmark.config.mjs end in ${trimmedEnd(site.pathPrefix)}, or change pathPrefix in ${configFile(files) ?? 'the configuration of Eleventy'}.`,
    });
  }
  if (joined('', settings.output) !== site.output) {
    found.push({
      level: 'fail',
      text: `Eleventy writes to ${site.output}/, but output is ${settings.output}.`,
      fix: `Set output: '${site.output}' in pressmark.config.mjs.`,
    });
  }
  const content = joined('', settings.content);
  if (site.input !== '' && content !== site.input && !content.startsWith(`${site.input}/`)) {
    found.push({
      level: 'fail',
      text: `Articles are written to ${settings.content}/, which is outside of Eleventy's input folder ${site.input}/.`,
      fix: `Set content to a folder below ${site.input}/ in pressmark.config.mjs.`,
    });
  }
  const formats = templateFormats(site.config);
  if (formats !== undefined && !formats.includes('md')) {
    found.push({
      level: 'fail',
      text: "Eleventy's templateFormats do not name md, so that it makes no pages of .md files.",
      fix: "Add 'md' to templateFormats.",
    });
  }
  return found;
}

/** What keeps the switch from working, or changes the text of bodies. */
export function inertness(site: Site): Problem[] {
  const found: Problem[] = [];
  const off = switchOff(site.config);
  if (off !== undefined) {
    found.push({
      level: 'warn',
      text: `Eleventy's configuration calls or sets ${off}, so that ${SWITCH} does not turn templates off. Articles are stored as HTML with every { and } escaped; scripts in them do not run.`,
      fix: 'Remove that line, and set markdownTemplateEngine or htmlTemplateEngine instead.',
    });
  }
  if (dropsRawHtml(site.config)) {
    found.push({
      level: 'warn',
      text: 'The Markdown renderer of the site escapes raw HTML. Articles that contain any are stored as HTML.',
      fix: 'Set html: true for markdown-it, to store them as Markdown; pressmark postbuild inserts the item comment either way.',
    });
  }
  const relative = site.config.properties.some(({ value }) => value === 'html-relative');
  if (relative && property(site.config, 'failOnError') !== false) {
    found.push({
      level: 'warn',
      text: "addPassthroughCopy with mode: 'html-relative' stops the build where an article names a relative file that does not exist.",
      fix: 'Add failOnError: false to its options.',
    });
  }
  if (
    site.config.calls.some(({ name }) => name === 'setFrontMatterParsingOptions') &&
    /\bexcerpt['"]?\s*[:(]\s*(?:\(|function|\w+\s*=>|file\b)/.test(site.source)
  ) {
    found.push({
      level: 'warn',
      text: 'A function of the site cuts excerpts out of bodies; text of an article may be missing from its page.',
      fix: 'Let the function leave file.content as it is.',
    });
  }
  return found;
}

/** `eleventyComputed.permalink` goes before the permalink in an article's front matter. */
export function computedAddress(site: Site, content: string): Problem[] {
  const layouts = [
    ...new Set([...filesBelow(site.files, site.includes), ...filesBelow(site.files, site.layouts)]),
  ];
  const sources = [
    ...directoryData(site, content).map(({ path, source }) => ({ path, source })),
    ...['js', 'mjs', 'cjs', 'json'].map((extension) => {
      const path = joined(site.data, `eleventyComputed.${extension}`);
      return { path, source: `eleventyComputed: {${site.files.read(path) ?? ''}` };
    }),
    ...layouts.map((path) => ({
      path,
      source: /^---[\s\S]*?\n---/.exec(site.files.read(path) ?? '')?.[0] ?? '',
    })),
    {
      path: configFile(site.files) ?? 'the configuration',
      source: site.source.replace(/eleventyComputed\.permalink/g, 'eleventyComputed: { permalink'),
    },
  ];
  const found: Problem[] = [];
  for (const { path, source } of sources) {
    const computed = /eleventyComputed['"]?\s*[:=]\s*(?:\{|\n)[\s\S]*$/.exec(source)?.[0] ?? '';
    if (/\bpermalink\b/.test(computed) && !/data\.permalink|\{\{-?\s*permalink/.test(computed)) {
      found.push({
        level: 'fail',
        text: `${path} sets eleventyComputed.permalink, which goes before the address in an article's file.`,
        fix: 'Use permalink instead of eleventyComputed.permalink, or return data.permalink where a file has one.',
      });
    } else if (
      /['"]?\w+['"]?\s*:\s*['"`]?[^\n]*\{\{/.test(computed) &&
      path !== (configFile(site.files) ?? 'the configuration')
    ) {
      found.push({
        level: 'warn',
        text: `${path} has templates in eleventyComputed. Eleventy does not render them for articles that are stored as HTML.`,
        fix: 'Write them as functions, such as title: (data) => data.title.',
      });
    }
  }
  return found;
}

/** With the site's folder as input, Eleventy makes pages of what git does not ignore. */
export function stateIsInput(site: Site, added: readonly string[]): Problem[] {
  if (site.input !== '') return [];
  const honours = !/setUseGitIgnore\(\s*false/.test(site.source);
  if (honours && (added.includes('.pressmark/') || isGitIgnored(site.files, '.pressmark/'))) return [];
  if (
    (site.files.read('.eleventyignore') ?? '')
      .split('\n')
      .some((line) => trimmed(line.trim()) === '.pressmark')
  )
    return [];
  return [
    {
      level: 'warn',
      text: "Eleventy's input is the site's folder, and it does not ignore .pressmark/.",
      fix: `Add a line .pressmark/ to ${honours ? '.gitignore' : '.eleventyignore'}.`,
    },
  ];
}
