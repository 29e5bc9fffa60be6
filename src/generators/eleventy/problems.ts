import type { Problem, SiteFiles, SiteSettings } from '../generator.js';
import { SWITCH } from './body.js';
import { configFile } from './config.js';

/** A call that gives Markdown or HTML to another engine, or another name of the key that turns templates off. */
const NO_SWITCH = /addExtension\(\s*(?:\[[^\]]*)?['"`](?:md|html)['"`]|\bengineOverride\b/;

/** What runs articles as templates, or publishes the state. */
export function problems(files: SiteFiles, { options }: Pick<SiteSettings, 'options'>): Problem[] {
  const name = configFile(files);
  const config = name === undefined ? '' : (files.read(name) ?? '');
  const ignored = (files.read('.eleventyignore') ?? '').split('\n').map((line) => line.trim());
  const found: Problem[] = [];
  if (NO_SWITCH.test(config) && options?.templateSwitch !== false)
    found.push({
      level: 'fail',
      text: `${name} gives .md or .html files to an engine of its own, or renames ${SWITCH}, so that Eleventy runs templates in articles.`,
      fix: "Set generator: { name: 'eleventy', templateSwitch: false } in pressmark.config.mjs, or remove that line.",
    });
  if (/setUseGitIgnore\(\s*false/.test(config) && !ignored.some((line) => /^\/?\.pressmark\/?$/.test(line)))
    found.push({
      level: 'warn',
      text: `${name} has setUseGitIgnore(false); if Eleventy's input is the site's folder, it publishes files of .pressmark/.`,
      fix: 'Add a line .pressmark/ to .eleventyignore.',
    });
  return found;
}
