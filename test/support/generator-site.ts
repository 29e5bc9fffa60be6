import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { addressSourcesOf, generatorOf } from '../../src/app/content/content.js';
import { foldersOf } from '../../src/app/content/folders.js';
import { addressDigest } from '../../src/article/address-digest.js';
import { readFrontMatter } from '../../src/article/front-matter/read.js';
import { loadSettings } from '../../src/config/load.js';
import { type AddressRecord, writeAddressFile } from '../../src/deploy/trial/address-file.js';
import { siteDigest } from '../../src/deploy/trial/prove-addresses.js';
import { ADDRESSES } from '../../src/store/catalog/addresses.js';
import { SITE_URL } from './receiver.js';

/** What a test site has of its own. */
export interface GeneratorSiteOptions {
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
  fs.mkdirSync(join(dir, '.git'), { recursive: true });
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

/** A post's address, as a build of the site has shown it. */
export type Proof = string | { readonly address: string; readonly moves: boolean };

/**
 * Writes the addresses of posts where a build of the site leaves them.
 *
 * @param addresses by the posts' paths below the content folder.
 */
export async function proveAddressesOf(
  dir: string,
  addresses: Readonly<Record<string, Proof>>,
): Promise<void> {
  const settings = await loadSettings(dir, {}, { PRESSMARK_SITE_URL: SITE_URL });
  const site = generatorOf(settings);
  if (site === undefined) throw new Error('Pressmark builds this site itself');
  const records = Object.entries(addresses).map(([path, proof]): AddressRecord => {
    const { address, moves } = typeof proof === 'string' ? { address: proof, moves: false } : proof;
    const { data } = readFrontMatter(fs.readFileSync(join(dir, 'content', path), 'utf8'));
    const digest = addressDigest({ path, data }, site.mapping, moves);
    return { kind: 'proven', path, address, moves, digest };
  });
  const configDigest = siteDigest(addressSourcesOf(settings, site));
  await writeAddressFile(join(foldersOf(settings).stateDir, ADDRESSES), { configDigest, records });
}
