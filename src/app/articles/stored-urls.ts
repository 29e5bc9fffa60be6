import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StoredUrl } from '../../article/stored-article.js';
import type { Settings } from '../../config/load.js';
import { PressmarkError } from '../../errors.js';
import { readText } from '../../fs/read-text.js';
import type { ContentFolder } from '../../store/catalog/content-folder.js';
import type { Entry } from '../../store/catalog/entry.js';
import { walk } from '../../store/catalog/scan.js';
import { contentOf } from '../content/content.js';
import { contentPrefix } from '../content/folders.js';
import { listArticles } from './article-list.js';

/** An article file whose URL was answered to the service. */
export interface FileWithUrl {
  /** Below the content folder. */
  readonly path: string;
  /** Below the site's folder. */
  readonly file: string;
  readonly text: string;
  readonly stored: StoredUrl;
}

/** Articles that were left at another address when the site's address changed. */
export interface AddressChange {
  /** The number of articles whose stored URL is not at the site's address. */
  readonly articles: number;
  /** One of these URLs. */
  readonly example: string;
}

/** The article files with a stored URL. Unreadable files are skipped; `doctor` names them. */
export function* filesWithUrl(settings: Settings): Generator<FileWithUrl> {
  const content = contentOf(settings);
  for (const path of walk(content)) {
    let text: string;
    let stored: StoredUrl | undefined;
    try {
      text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
        readFileSync(join(content.root, path)),
      );
      stored = content.format.storedUrl(text, path);
    } catch {
      continue;
    }
    if (stored !== undefined) yield { path, file: `${contentPrefix(settings)}${path}`, text, stored };
  }
}

/**
 * Whether an article's URL has another origin or base path than the site. A stored URL below the site's address is right,
 * whatever the permalink pattern, unless the file pins another one.
 */
export function isElsewhere({ url, address }: StoredUrl, siteUrl: string): boolean {
  if (address !== undefined) return url !== `${siteUrl}${address}`;
  return url !== siteUrl && !url.startsWith(`${siteUrl}/`);
}

/**
 * Finds the articles whose URLs are at an earlier `siteUrl`.
 *
 * @param entries the entries of the catalog.
 * @returns undefined if there are none.
 */
export async function addressChange(
  settings: Settings,
  { root, codec }: Pick<ContentFolder, 'root' | 'codec'>,
  entries: Iterable<Pick<Entry, 'path'>>,
): Promise<AddressChange | undefined> {
  let articles = 0;
  let example = '';
  for (const { path } of entries) {
    let stored: StoredUrl | undefined;
    try {
      stored = await codec.storedUrl(readText(join(root, path)).text, path);
    } catch {
      continue; // gone or malformed; `doctor` names it
    }
    if (stored === undefined || !isElsewhere(stored, settings.siteUrl)) continue;
    articles++;
    example ||= stored.url;
  }
  return articles === 0 ? undefined : { articles, example };
}

/** The message and the fix after a change of `siteUrl`. */
export function addressChangeText(
  { articles, example }: AddressChange,
  { siteUrl, siteUrlIsGuess }: Settings,
): { readonly text: string; readonly fix: string } {
  const whose = articles === 1 ? '1 article has a URL that is' : `${articles} articles have URLs that are`;
  return {
    text: `${whose} not at the site’s address ${siteUrl}, such as ${example}`,
    fix: siteUrlIsGuess
      ? 'set siteUrl in the config, or PRESSMARK_SITE_URL, to the address of these articles; for a preview, start with the --port of the earlier preview'
      : `if the site has moved, run pressmark move ${siteUrl}, which shows first what would change; if not, set siteUrl back`,
  };
}

/**
 * Refuses to start if a build would remove the pages of articles. The service repeats deliveries until the address is
 * corrected.
 *
 * @throws PressmarkError CONFIG_INVALID.
 */
export async function refuseArticlesElsewhere(settings: Settings, entries: Iterable<Entry>): Promise<void> {
  const change = await addressChange(settings, contentOf(settings), entries);
  if (change === undefined) return;
  const { text, fix } = addressChangeText(change, settings);
  throw new PressmarkError('CONFIG_INVALID', `${text}; ${fix}`);
}

/** An article whose page is not at the URL that was answered to the service, and the fix. */
export interface MovedArticle {
  readonly text: string;
  readonly fix: string;
}

/**
 * The articles that no longer pin the answered URL, and that the generator lists at another one. An older build may have left a
 * page at the answered URL.
 */
export function movedArticles(settings: Settings): MovedArticle[] {
  const answered = new Map([...filesWithUrl(settings)].map(({ file, stored }) => [file, stored.url]));
  return listArticles(settings).flatMap((article): MovedArticle[] => {
    const { file } = article;
    const before = answered.get(file);
    if (article.kind !== 'article' || article.address !== 'listed') return [];
    if (before === undefined || before === article.url) return [];
    return [
      {
        text: `the URL answered to the service is ${before}, but the page of ${file} is at ${article.url}`,
        fix: before.startsWith(`${settings.siteUrl}/`)
          ? 'put the address back into the front matter (or the file’s name), as git log shows it; or, if it is to stay there, redirect the old URL to the new one on your host'
          : 'set siteUrl in the config back, if it is wrong; if the site has moved, redirect the old URL to the new one on the old host',
      },
    ];
  });
}
