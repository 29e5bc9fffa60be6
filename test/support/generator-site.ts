import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { type AddressFile, writeAddressFile } from '../../src/app/build/addresses/address-file.js';
import { addressConfig } from '../../src/app/build/addresses/addresses.js';
import { generatorOf } from '../../src/app/content/content.js';
import { foldersOf } from '../../src/app/content/folders.js';
import { addressDigest } from '../../src/article/format/address.js';
import { readFrontMatter } from '../../src/article/front-matter/read.js';
import { loadSettings } from '../../src/config/load.js';
import { ADDRESSES } from '../../src/store/catalog/addresses.js';
import { OWN_PROGRAMS, SITE_URL } from './receiver.js';

/** What a test site has of its own. */
interface GeneratorSiteOptions {
  /** Overrides settings of `pressmark.config.json`. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Article files by their paths below the content folder. */
  readonly posts?: Readonly<Record<string, string>>;
}

/**
 * Makes a site that another generator builds, of which only the configuration and the content are there: nothing of a
 * receiver's needs the generator itself. The site's folder has a git folder, in which the receiver keeps its state.
 *
 * @returns the folder.
 */
export function generatorSite(
  dir: string,
  generator: 'hugo' | 'jekyll' | 'eleventy' | 'astro',
  { config = {}, posts = {} }: GeneratorSiteOptions = {},
): string {
  const settings = {
    generator,
    git: false,
    content: 'content',
    output: 'public',
    articles: { file: 'posts/:slug.md', permalink: '/posts/:slug/' },
    ...config,
  };
  fs.mkdirSync(join(dir, OWN_PROGRAMS), { recursive: true });
  // Where the machine has a generator, it would list other addresses than the test.
  for (const program of ['hugo', 'jekyll', 'bundle', 'ruby'])
    fs.writeFileSync(join(dir, OWN_PROGRAMS, program), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  fs.writeFileSync(join(dir, 'hugo.toml'), `baseURL = '${SITE_URL}/'\n`);
  fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify(settings));
  for (const [path, text] of Object.entries(posts)) writePost(dir, path, text);
  return dir;
}

/** Writes a file below the content folder, as a person does. @returns its path, absolute. */
export function writePost(dir: string, path: string, text: string): string {
  const absolute = join(dir, 'content', path);
  fs.mkdirSync(dirname(absolute), { recursive: true });
  fs.writeFileSync(absolute, text);
  return absolute;
}

/**
 * Writes the addresses of posts where they are kept when the generator has listed them.
 *
 * @param addresses by the posts' paths below the content folder.
 */
export async function listAddressesOf(
  dir: string,
  addresses: Readonly<Record<string, string>>,
  more: Partial<AddressFile> = {},
): Promise<void> {
  const settings = await loadSettings(dir, {}, { PRESSMARK_SITE_URL: SITE_URL });
  const site = generatorOf(settings);
  if (site === undefined) throw new Error('Pressmark builds this site itself');
  const listed = Object.entries(addresses).map(([path, address]) => {
    const { data } = readFrontMatter(fs.readFileSync(join(dir, 'content', path), 'utf8'));
    return { path, address, digest: addressDigest({ path, data }, site.mapping) };
  });
  const config = addressConfig(settings) ?? '';
  const file = { config, posts: '', listed, unlisted: [], ...more };
  await writeAddressFile(join(foldersOf(settings).stateDir, ADDRESSES), file);
}
