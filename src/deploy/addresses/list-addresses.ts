import { hash } from 'node:crypto';
import fs from 'node:fs';
import { join, posix } from 'node:path';
import { addressDigest } from '../../article/format/address.js';
import type { ArticleMapping, FileFacts } from '../../article/format/mapping.js';
import { readFrontMatter } from '../../article/front-matter/read.js';
import { type ArticleState, stateAt } from '../../article/publication.js';
import { PressmarkError } from '../../errors.js';
import type { AddressQuery, Generator, ListedPage } from '../../generators/generator.js';
import { askGenerator } from '../ask.js';
import { encodedAddress, pageAt } from '../build/pages.js';
import type { RunBuild } from '../build/run-build.js';
import { type AddressFile, readAddressFile, type UnlistedReason, writeAddressFile } from './address-file.js';
import { configDigest } from './config-digest.js';
import { contradictionOf, type NewArticles } from './contradiction.js';
import { matchPages, readPages } from './match-pages.js';

/** An article file of a site. */
export interface ContentFile {
  /** Below the content folder, with forward slashes. */
  readonly path: string;
  readonly text: string;
  /** The address that the file itself decides; undefined where it does not. */
  readonly pinned: string | undefined;
}

/** The site, and how its generator is asked. */
export interface ListingOptions {
  /** The folder whose files are compared with the last answer: the site's own, or a copy that was built. */
  readonly dir: string;
  /** A copy of the site, in which the generator may write. */
  copy(): Promise<{ readonly dir: string; remove(): void }>;
  /** The content folder, relative to the site's. */
  readonly content: string;
  /** The pages of the last good build, absolute; undefined where there are none. */
  readonly output: string | undefined;
  /** Whether these pages decide: an address that is listed must be one of them. */
  readonly isBuiltHere: boolean;
  /** Whether the output was built from the files as they are. */
  readonly isUpToDate: boolean;
  /** Absolute, without a trailing slash. */
  readonly siteUrl: string;
  /** The file of addresses, absolute. */
  readonly cacheFile: string;
  readonly generator: Pick<Generator, 'name' | 'configFiles' | 'pinsAddresses'>;
  /** How the generator in a folder is asked; undefined where it cannot be. */
  query(dir: string): AddressQuery | undefined;
  /** The article files of the site in a folder. */
  files(dir: string): Iterable<ContentFile>;
  readonly mapping: ArticleMapping;
  readonly newArticles: NewArticles;
  readonly env: NodeJS.Dict<string>;
  readonly runBuild: RunBuild;
  readonly now: Date;
  /** Asks even where nothing has changed. @default false */
  readonly force?: boolean;
  /** How long the generator may take, in milliseconds. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Why an address is not known. */
export type NotListed = UnlistedReason | Exclude<ArticleState, 'live'>;

/** The addresses of the files that do not pin theirs. */
export interface Listing {
  /** By the file's path below the content folder. */
  readonly listed: ReadonlyMap<string, string>;
  readonly unlisted: ReadonlyMap<string, NotListed>;
  /** Whether the generator was asked. */
  readonly asked: boolean;
  readonly contradiction: string | undefined;
}

/** A file from which the generator makes a page now, or may make one of a draft. */
interface Post extends FileFacts {
  readonly pinned: string | undefined;
}

/** The article files of a folder, read. */
interface Posts {
  readonly all: readonly Post[];
  readonly hidden: ReadonlyMap<string, NotListed>;
  /** See `AddressFile`. */
  readonly digest: string;
}

/**
 * Asks the generator for the address of each file that does not pin its own, unless neither the posts nor the site's
 * configuration have changed since the last time. An address counts only if the last good build has a page there.
 *
 * @throws PressmarkError BUILD_FAILED where the generator does not answer; SITE_TOO_LARGE. What is known stays as it was.
 */
export async function listAddresses(options: ListingOptions): Promise<Listing> {
  const { dir, cacheFile } = options;
  const posts = readPosts(dir, options);
  const cache = readAddressFile(cacheFile);
  const isKnown = cache?.config === configOf(dir, options) && cache.posts === posts.digest;
  if (isKnown && options.force !== true) return listingOf(cache, posts, false);
  if (posts.all.every(({ pinned }) => pinned !== undefined)) {
    const file = { config: configOf(dir, options), posts: posts.digest, listed: [], unlisted: [] };
    await writeAddressFile(cacheFile, file);
    return listingOf(file, posts, false);
  }
  const copy = await options.copy();
  try {
    // The site may have changed while it was copied.
    const copied = copy.dir === dir ? posts : readPosts(copy.dir, options);
    const file = { config: configOf(copy.dir, options), ...(await found(copied, copy.dir, options)) };
    await writeAddressFile(cacheFile, file);
    return listingOf(file, copied, true);
  } finally {
    copy.remove();
  }
}

/** A digest of all that addresses depend on besides the posts. */
export function configOf(
  dir: string,
  options: Pick<ListingOptions, 'content' | 'siteUrl' | 'generator' | 'newArticles'>,
): string {
  const { content, siteUrl, generator, newArticles } = options;
  const settings = { generator: generator.name, siteUrl, content, ...newArticles.patterns };
  return configDigest({ siteDir: dir, content, configFiles: generator.configFiles, settings });
}

function listingOf(file: Omit<AddressFile, 'config' | 'posts'>, { hidden }: Posts, asked: boolean): Listing {
  const listed = new Map(file.listed.map(({ path, address }) => [path, address]));
  return {
    listed,
    unlisted: new Map([
      ...[...hidden].filter(([path]) => !listed.has(path)),
      ...file.unlisted.map(({ path, reason }) => [path, reason] as const),
    ]),
    asked,
    contradiction: file.contradiction,
  };
}

function readPosts(dir: string, { files, mapping, now }: ListingOptions): Posts {
  const all: Post[] = [];
  const hidden = new Map<string, NotListed>();
  const counted: string[] = [];
  for (const { path, text, pinned } of files(dir)) {
    const data = frontMatterOf(path, text);
    const state =
      data === undefined
        ? 'front matter not supported'
        : stateAt(mapping.publication({ path, data }), now.getTime());
    if (pinned === undefined && state !== 'live') hidden.set(path, state);
    // Whether a draft has a page is the site's to say.
    if (data === undefined || (state !== 'live' && state !== 'draft')) continue;
    all.push({ path, data, pinned });
    const { pressmark: _, ...others } = data;
    if (pinned === undefined) counted.push(JSON.stringify([path, others]));
  }
  return { all, hidden, digest: hash('sha256', counted.toSorted().join('\n')) };
}

function frontMatterOf(path: string, text: string): FileFacts['data'] | undefined {
  if (path.endsWith('.mdx')) return undefined; // an update would replace a program by an article
  try {
    return readFrontMatter(text).data;
  } catch (error) {
    if (error instanceof PressmarkError) return undefined; // doctor says why
    throw error;
  }
}

/** What the generator, or the pages of the last good build, say of the posts. */
async function found(
  { all, hidden, digest }: Posts,
  dir: string,
  options: ListingOptions,
): Promise<Omit<AddressFile, 'config'>> {
  const { mapping, content, output, isBuiltHere } = options;
  const open = all.filter(({ pinned }) => pinned === undefined);
  const query = options.query(dir);
  const addresses =
    query === undefined
      ? matchPages(
          open.map((post) => ({ ...post, slug: mapping.slug(post), title: titleOf(post, mapping) })),
          output === undefined ? [] : await readPages(output, options.siteUrl),
        )
      : byPost(await ask(query, dir, options), content);
  const listed: AddressFile['listed'][number][] = [];
  const unlisted: AddressFile['unlisted'][number][] = [];
  for (const post of open) {
    const { path } = post;
    const address = isBehindLink(join(dir, content), path) ? 'symbolic link' : addresses.get(path);
    const isPage =
      address?.startsWith('/') === true &&
      !(isBuiltHere && output !== undefined && pageAt(output, address).kind !== 'page');
    if (isPage) listed.push({ path, address, digest: addressDigest(post, mapping) });
    else if (!hidden.has(path)) {
      const reason = address === 'symbolic link' || address === 'several pages' ? address : 'no page';
      unlisted.push({ path, reason });
    }
  }
  const agrees =
    options.generator.pinsAddresses === true ||
    all.some(
      ({ pinned }) => pinned !== undefined && output !== undefined && pageAt(output, pinned).kind === 'page',
    );
  const contradiction = agrees
    ? undefined
    : contradictionOf(open, new Map(listed.map(({ path, address }) => [path, address])), mapping, options);
  // A page that is not there yet may come with the next build.
  const isFinal = options.isUpToDate || unlisted.every(({ reason }) => reason !== 'no page');
  return {
    posts: isFinal ? digest : '',
    listed,
    unlisted,
    ...(contradiction !== undefined && { contradiction }),
  };
}

function titleOf({ data }: Post, { keys }: ArticleMapping): string {
  const title = data[keys.title];
  return typeof title === 'string' ? title : '';
}

/** The addresses of the listed pages by their files below the content folder; `several pages` where a file has more than one. */
function byPost(pages: readonly ListedPage[], content: string): Map<string, string> {
  const prefix = `${posix.normalize(content).replace(/\/$/, '')}/`;
  const addresses = new Map<string, string>();
  for (const page of pages) {
    const file = posix.normalize(page.path);
    const path = prefix === './' ? file : file.startsWith(prefix) ? file.slice(prefix.length) : undefined;
    if (path === undefined) continue;
    const address = encodedAddress(page.address);
    addresses.set(path, addresses.has(path) && addresses.get(path) !== address ? 'several pages' : address);
  }
  return addresses;
}

async function ask(
  query: AddressQuery,
  dir: string,
  options: ListingOptions,
): Promise<readonly ListedPage[]> {
  const { name } = options.generator;
  const answer = await askGenerator(query.command, { ...options, dir, name, background: true });
  if (answer.kind === 'failed') throw notListed(answer.reason);
  try {
    return query.parse?.(answer.text, options.siteUrl) ?? (JSON.parse(answer.text) as ListedPage[]);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw notListed(`the answer of ${name} cannot be read: ${error.message}`);
  }
}

function notListed(reason: string): PressmarkError {
  return new PressmarkError('BUILD_FAILED', `the addresses of existing posts are not known: ${reason}`);
}

/** Pressmark does not write through a symbolic link, which may lead out of the site. */
function isBehindLink(content: string, path: string): boolean {
  return fs.realpathSync(join(content, path)) !== join(fs.realpathSync(content), path);
}
