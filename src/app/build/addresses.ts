import fs from 'node:fs';
import { join, resolve } from 'node:path';
import type { Settings } from '../../config/load.js';
import { readAddressFile } from '../../deploy/addresses/address-file.js';
import {
  type ContentFile,
  configOf,
  type Listing,
  type ListingOptions,
  listAddresses,
} from '../../deploy/addresses/list-addresses.js';
import { runBuild } from '../../deploy/build/run-build.js';
import { copySite } from '../../deploy/copy/site-copy.js';
import { PressmarkError } from '../../errors.js';
import { readText } from '../../fs/read-text.js';
import { openRepository } from '../../git/repository.js';
import { ADDRESSES } from '../../store/catalog/addresses.js';
import { type ContentFolder, isUnreadable } from '../../store/catalog/content-folder.js';
import { isGone } from '../../store/catalog/entry.js';
import { walk } from '../../store/catalog/scan.js';
import { contentOf, generatorOf, type SiteGenerator } from '../content/content.js';
import { foldersOf } from '../content/folders.js';
import { layoutOf } from '../content/layout.js';
import { siteFiles } from '../content/site-files.js';

/** How addresses are asked for. */
export interface AddressOptions {
  /** Asks even where nothing has changed. @default false */
  readonly force?: boolean;
  readonly signal?: AbortSignal;
  /** Whether the output was built from the files as they are. @default false */
  readonly isUpToDate?: boolean;
  /** A copy of the site that the generator may be run in. @default one that is made for this */
  readonly copy?: string | undefined;
}

const NOTHING: Listing = { listed: new Map(), unlisted: new Map(), asked: false, contradiction: undefined };

/**
 * Asks the site's generator for the addresses of the article files that do not pin theirs, unless nothing has changed since
 * the last time. Where Pressmark itself builds the site, there is nothing to ask.
 *
 * @throws PressmarkError BUILD_FAILED where the generator does not answer; SITE_TOO_LARGE.
 */
export async function existingAddresses(settings: Settings, options: AddressOptions = {}): Promise<Listing> {
  const site = generatorOf(settings);
  return site === undefined ? NOTHING : await listAddresses(listingOptions(settings, site, options));
}

/** A digest of the site's configuration, as far as addresses depend on it; undefined where Pressmark builds the site. */
export function addressConfig(settings: Settings): string | undefined {
  const site = generatorOf(settings);
  return site && configOf(settings.dir, listingOptions(settings, site, {}));
}

/** Forgets addresses that were listed under another configuration: it was changed while no receiver ran. */
export function forgetOldAddresses(settings: Settings): void {
  const file = join(foldersOf(settings).stateDir, ADDRESSES);
  const cache = readAddressFile(file);
  if (cache !== undefined && cache.config !== addressConfig(settings)) fs.rmSync(file, { force: true });
}

function listingOptions(
  settings: Settings,
  { generator, mapping, options: { timeZone } }: SiteGenerator,
  { copy, isUpToDate = false, ...options }: AddressOptions,
): ListingOptions {
  const { dir, siteUrl, content, environment, buildTimeoutMs: timeoutMs } = settings;
  const { file, permalink } = settings.articles;
  const { stateDir, outputDir } = foldersOf(settings);
  const layout = layoutOf(settings, timeZone);
  return {
    ...options,
    dir: copy ?? dir,
    copy: async () =>
      copy === undefined ? await copyOf(settings, generator.caches) : { dir: copy, remove: () => undefined },
    content,
    output: fs.existsSync(outputDir) ? outputDir : undefined,
    isBuiltHere: settings.buildsInBackground,
    isUpToDate,
    siteUrl,
    cacheFile: join(stateDir, ADDRESSES),
    generator,
    query: (folder) => generator.addressQuery?.(siteFiles(folder)),
    files: (folder) => contentFiles(settings, folder),
    mapping,
    newArticles: {
      patterns: { file, permalink },
      timeZone,
      address: (slug, date) => layout.url(slug, date).slice(siteUrl.length),
    },
    env: environment,
    runBuild,
    timeoutMs,
    now: new Date(),
  };
}

async function copyOf(settings: Settings, caches: readonly string[]) {
  const { dir, environment, output } = settings;
  const repository = await openRepository(dir, environment);
  return await copySite({
    siteDir: dir,
    except: [...caches, output],
    env: environment,
    ...(repository.kind === 'repository' && { repository }),
  });
}

/** The article files of a site's folder; the start and `doctor` report unreadable ones. */
function* contentFiles(settings: Settings, dir: string): Generator<ContentFile> {
  const content = { ...contentOf(settings), root: resolve(dir, settings.content) };
  for (const path of walk(content)) {
    const text = textOf(join(content.root, path));
    if (text === undefined) continue;
    yield { path, text, pinned: pinnedAddress(content, path, text, settings.siteUrl) };
  }
}

function textOf(path: string): string | undefined {
  try {
    return readText(path).text;
  } catch (error) {
    if (isGone(error) || isUnreadable(error)) return undefined;
    throw error;
  }
}

function pinnedAddress(
  content: ContentFolder,
  path: string,
  text: string,
  siteUrl: string,
): string | undefined {
  try {
    const { article, address } = content.format.decode(text, path);
    return address === undefined ? article.url.slice(siteUrl.length) : undefined;
  } catch (error) {
    if (error instanceof PressmarkError) return undefined; // its front matter cannot be read
    throw error;
  }
}

/**
 * Whether a build should also ask for the addresses of existing posts: they are for a receiver, and a build server that
 * starts from a fresh clone every time has none.
 */
export function wantsAddresses(settings: Settings): boolean {
  const isBuildServer = !['', '0', 'false', undefined].includes(settings.environment.CI?.toLowerCase());
  return !isBuildServer || fs.existsSync(foldersOf(settings).stateDir);
}
