import { shellWord } from '../command-line.js';
import type { AddressQuery, ListedPage, SiteFiles } from '../generator.js';
import { eleventyScript } from './config.js';

/** Eleventy makes the pages, and writes none of them. What the site prints goes to standard error. */
const SCRIPT = `
import fs from 'node:fs';
import Eleventy from '@11ty/eleventy';
console.log = console.info = console.debug = console.error;
const [input, output, configPath] = process.argv.slice(1).map((word) => word || undefined);
const eleventy = new Eleventy(input, output, { configPath, quietMode: true });
const pages = await eleventy.toJSON();
fs.writeSync(1, JSON.stringify(pages.map(({ inputPath, url }) => ({ path: inputPath, address: url }))));
process.exit(0);
`;

/** How Eleventy lists its pages. The flags of the site's own build script count. */
export function addressQuery(files: SiteFiles): AddressQuery {
  const script = eleventyScript(files);
  const words = ['input', 'output', 'config'].map((flag) => shellWord(flagOf(script, flag) ?? ''));
  return {
    command: `PATH="$PWD/node_modules/.bin:$PATH" node --input-type=module -e ${shellWord(SCRIPT)} -- ${words.join(' ')}`,
    parse,
  };
}

/** The value of a flag in a command line. */
export function flagOf(script: string, name: string): string | undefined {
  return new RegExp(`\\s--${name}[= ]["']?([^\\s"';&|]+)`).exec(script)?.[1];
}

function parse(printed: string): ListedPage[] {
  const pages = JSON.parse(printed) as { path: string; address: unknown }[];
  return pages.flatMap(({ path, address }) => (typeof address === 'string' ? [{ path, address }] : []));
}
