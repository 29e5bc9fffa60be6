import { hash } from 'node:crypto';
import fs from 'node:fs';
import { join, posix, resolve } from 'node:path';
import { addressDigest } from '../../../article/format/address.js';
import type { ArticleMapping, FileFacts } from '../../../article/format/mapping.js';
import { readFrontMatter } from '../../../article/front-matter/read.js';
import { type ArticleState, stateAt } from '../../../article/publication.js';
import type { Settings } from '../../../config/load.js';
import { askGenerator } from '../../../deploy/ask.js';
import { encodedAddress, pageAt } from '../../../deploy/build/pages.js';
import { copyWithHistory } from '../../../deploy/copy/site-copy.js';
import { PressmarkError } from '../../../errors.js';
import type { AddressQuery, ListedPage } from '../../../generators/generator.js';
import { ADDRESSES } from '../../../store/catalog/addresses.js';
import { textOrNothing } from '../../../store/catalog/content-folder.js';
import { walk } from '../../../store/catalog/scan.js';
import { contentOf, generatorOf, type SiteGenerator } from '../../content/content.js';
import { foldersOf } from '../../content/folders.js';
import { siteFiles } from '../../content/site-files.js';
import { notCopied } from '../generator-build.js';
import { type AddressFile, readAddressFile, type UnlistedReason, writeAddressFile } from './address-file.js';
import { configDigest } from './config-digest.js';
import { contradictionOf } from './contradiction.js';
import { matchPages, readPages } from './match-pages.js';

/** Options of `existingAddresses`. */
export interface ListingOptions {
  /** Asks even if nothing has changed. @default false */
  readonly force?: boolean;
  readonly signal?: AbortSignal;
  /** Whether the output was built from the files as they are. @default false */
  readonly isUpToDate?: boolean;
  /** A copy of the site that was built, in which the generator may be run. @default a new copy */
  readonly copy?: string | undefined;
}

/** The addresses of the files that do not pin theirs. */
export interface Listing {
  /** By the file's path below the content folder. */
  readonly listed: ReadonlyMap<string, string>;
  readonly unlisted: ReadonlyMap<string, NotListed>;
  /** Whether the generator was asked. */
  readonly asked: boolean;
  readonly contradiction: string | undefined;
}

/** The reason why an address is not known. */
type NotListed = UnlistedReason | Exclude<ArticleState, 'live'>;

/** A file that has a page, or a draft that may have one. */
interface Post extends FileFacts {
  /** The address that the file pins; undefined if it pins none. */
  readonly pinned: string | undefined;
}

/** The article files of a site's folder. */
interface Posts {
  readonly all: readonly Post[];
  /** The files without a page, and those that may have none, with the reason. */
  readonly hidden: ReadonlyMap<string, NotListed>;
  /** See `AddressFile`. */
  readonly digest: string;
}

const NOTHING: Listing = { listed: new Map(), unlisted: new Map(), asked: false, contradiction: undefined };

/**
 * Asks the site's generator for the address of each article file that does not pin its own, unless posts and configuration are
 * unchanged since the last time. If the site is built here, an address only counts if the last good build has a page there. If
 * Pressmark itself builds the site, there is nothing to ask.
 *
 * @throws PressmarkError BUILD_FAILED if the generator does not answer; SITE_TOO_LARGE. The known addresses stay as they were.
 */
export async function existingAddresses(settings: Settings, options: ListingOptions = {}): Promise<Listing> {
  const site = generatorOf(settings);
  if (site === undefined) return NOTHING;
  const dir = options.copy ?? settings.dir;
  const cacheFile = join(foldersOf(settings).stateDir, ADDRESSES);
  const posts = postsIn(dir, settings, site.mapping);
  const cache = readAddressFile(cacheFile);
  const config = configOf(dir, settings, site);
  if (cache?.config === config && cache.posts === posts.digest && options.force !== true)
    return listingOf(cache, posts, false);
  // The answer may forbid new articles, so the generator is asked even if all files pin their addresses.
  const mayRefuse = site.generator.addressQuery?.(site.files, site.options).problem !== undefined;
  if (!mayRefuse && posts.all.every(({ pinned }) => pinned !== undefined)) {
    const file = { config, posts: posts.digest, listed: [], unlisted: [] };
    await writeAddressFile(cacheFile, file);
    return listingOf(file, posts, false);
  }
  const copy =
    options.copy === undefined
      ? await copyWithHistory(dir, notCopied(settings, site.generator), settings.environment)
      : undefined;
  try {
    const askedDir = copy?.dir ?? dir;
    // Read again, as the site may have changed during the copy.
    const copied = copy === undefined ? posts : postsIn(askedDir, settings, site.mapping);
    const found = await findAddresses(copied, askedDir, { ...options, settings, site });
    const file = { config: configOf(askedDir, settings, site), ...found };
    await writeAddressFile(cacheFile, file);
    return listingOf(file, copied, true);
  } finally {
    copy?.remove();
  }
}

/** Removes the addresses if the configuration was changed while no receiver was running. */
export function forgetOldAddresses(settings: Settings): void {
  const file = join(foldersOf(settings).stateDir, ADDRESSES);
  const cache = readAddressFile(file);
  if (cache !== undefined && cache.config !== addressConfig(settings)) fs.rmSync(file, { force: true });
}

/** A digest of the configuration that addresses depend on; undefined if Pressmark builds the site. */
export function addressConfig(settings: Settings): string | undefined {
  const site = generatorOf(settings);
  return site && configOf(settings.dir, settings, site);
}

/**
 * Whether a build should also ask for the addresses of existing posts. Only a receiver needs them, and none runs on a build
 * server with a fresh clone.
 */
export function wantsAddresses(settings: Settings): boolean {
  const isBuildServer = !['', '0', 'false', undefined].includes(settings.environment.CI?.toLowerCase());
  return !isBuildServer || fs.existsSync(foldersOf(settings).stateDir);
}

/** A digest of everything that addresses depend on, except the posts. */
function configOf(
  siteDir: string,
  { siteUrl, content, articles: { file, permalink } }: Settings,
  { generator: { name: generator, configFiles }, options }: SiteGenerator,
): string {
  const settings = { generator, options, siteUrl, content, file, permalink };
  return configDigest({ siteDir, content, configFiles, settings });
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

/** Reads the article files of a site's folder. Unreadable files are reported by the start and by `doctor`. */
function postsIn(dir: string, settings: Settings, mapping: ArticleMapping): Posts {
  const content = { ...contentOf(settings), root: resolve(dir, settings.content) };
  const all: Post[] = [];
  const hidden = new Map<string, NotListed>();
  const counted: string[] = [];
  for (const path of walk(content)) {
    const text = textOrNothing(join(content.root, path));
    if (text === undefined) continue;
    const decoded = orUndefined(() => content.format.decode(text, path));
    const pinned =
      decoded?.address === undefined ? decoded?.article.url.slice(settings.siteUrl.length) : undefined;
    // An MDX file is a program: an update would replace it by an article.
    const data = path.endsWith('.mdx') ? undefined : orUndefined(() => readFrontMatter(text).data);
    const state =
      data === undefined
        ? 'front matter not supported'
        : stateAt(mapping.publication({ path, data }), Date.now());
    if (pinned === undefined && state !== 'live') hidden.set(path, state);
    // A draft may have a page; the site decides.
    if (data === undefined || (state !== 'live' && state !== 'draft')) continue;
    all.push({ path, data, pinned });
    const { pressmark: _, ...others } = data;
    if (pinned === undefined) counted.push(JSON.stringify([path, others]));
  }
  return { all, hidden, digest: hash('sha256', counted.toSorted().join('\n')) };
}

/** The result of `read`; undefined if the file is malformed, which `doctor` reports. */
function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof PressmarkError) return undefined;
    throw error;
  }
}

/** The site whose addresses are listed, and the options. */
interface SiteListing extends Omit<ListingOptions, 'copy'> {
  readonly settings: Settings;
  readonly site: SiteGenerator;
}

/** Finds the addresses of posts, from the generator or from the pages of the last good build. */
async function findAddresses(
  { all, hidden, digest }: Posts,
  dir: string,
  listing: SiteListing,
): Promise<Omit<AddressFile, 'config'>> {
  const { settings, site, isUpToDate = false } = listing;
  const { generator, mapping } = site;
  const { content, siteUrl, buildsInBackground, articles } = settings;
  const { permalink } = articles;
  const { outputDir } = foldersOf(settings);
  const output = fs.existsSync(outputDir) ? outputDir : undefined;
  const open = all.filter(({ pinned }) => pinned === undefined);
  const query = generator.addressQuery?.(siteFiles(dir), site.options);
  const answer = query && (await ask(query, dir, listing));
  const addresses =
    answer === undefined
      ? matchPages(
          open.map((post) => ({ ...post, slug: mapping.slug(post), title: titleOf(post, mapping) })),
          output === undefined ? [] : await readPages(output, siteUrl, permalink),
          permalink,
        )
      : byPost(answer.pages, content);
  const listed: AddressFile['listed'][number][] = [];
  const unlisted: AddressFile['unlisted'][number][] = [];
  for (const post of open) {
    const { path } = post;
    const address = isBehindLink(join(dir, content), path) ? 'symbolic link' : addresses.get(path);
    const isPage =
      address?.startsWith('/') === true &&
      !(buildsInBackground && output !== undefined && pageAt(output, address).kind !== 'page');
    if (isPage) listed.push({ path, address, digest: addressDigest(post, mapping) });
    else if (!hidden.has(path)) {
      const reason = address === 'symbolic link' || address === 'several pages' ? address : 'no page';
      unlisted.push({ path, reason });
    }
  }
  const agrees =
    generator.pinsAddresses === true ||
    all.some(
      ({ pinned }) => pinned !== undefined && output !== undefined && pageAt(output, pinned).kind === 'page',
    );
  const byPath = new Map(listed.map(({ path, address }) => [path, address]));
  const contradiction =
    answer?.problem ?? (agrees ? undefined : contradictionOf(open, byPath, settings, site));
  // A missing page may come with the next build.
  const isFinal = isUpToDate || unlisted.every(({ reason }) => reason !== 'no page');
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

/** The addresses of the listed pages by their files below the content folder; `several pages` if a file has more than one. */
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
  { settings, site, signal }: SiteListing,
): Promise<{ readonly pages: readonly ListedPage[]; readonly problem: string | undefined }> {
  const { environment: env, buildTimeoutMs: timeoutMs, siteUrl } = settings;
  const { name } = site.generator;
  const question = { dir, env, name, timeoutMs, background: true, ...(signal && { signal }) };
  const answer = await askGenerator(query.command, question);
  if (answer.kind === 'failed') throw notListed(answer.reason);
  try {
    return { pages: query.parse(answer.text, siteUrl), problem: query.problem?.(answer.text) };
  } catch (error) {
    if (error instanceof PressmarkError) throw notListed(error.message);
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
