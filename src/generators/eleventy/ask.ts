import { shellWord } from '../command-line.js';
import type { SiteFiles } from '../generator.js';
import { eleventyScript, flagOf } from './config.js';

/**
 * A command that has Eleventy make the pages, without writing any. The flags of the site's own build script count. What the
 * site prints goes to standard error.
 *
 * @param answer JavaScript that makes a value of `pages`, `eleventy`, `user` (what the configuration is given) and `items`.
 */
export function nodeCommand(files: SiteFiles, answer: string): string {
  const script = `
import fs from 'node:fs';
import Eleventy from '@11ty/eleventy';
console.log = console.info = console.debug = console.error;
const [input, output, configPath] = process.argv.slice(1).map((word) => word || undefined);
let user;
const items = [];
const eleventy = new Eleventy(input, output, {
  configPath,
  quietMode: true,
  config(given) {
    user = given;
    given.addCollection('pressmark', (api) => {
      items.push(...api.getAll());
      return [];
    });
  },
});
const pages = (await eleventy.toJSON())
  .filter(({ url }) => typeof url === 'string')
  .map(({ inputPath, url }) => ({ path: inputPath, address: url }));
fs.writeSync(1, JSON.stringify(${answer}));
process.exit(0);
`;
  const build = eleventyScript(files);
  const words = ['input', 'output', 'config'].map((flag) => shellWord(flagOf(build, flag) ?? '') || "''");
  return `PATH="$PWD/node_modules/.bin:$PATH" node --input-type=module -e ${shellWord(script)} -- ${words.join(' ')}`;
}
