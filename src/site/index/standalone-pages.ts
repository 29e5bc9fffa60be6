import { hash } from 'node:crypto';
import fs from 'node:fs';
import { join, posix } from 'node:path';
import { messageOf } from '../../errors.js';
import { type Stamp, stampOf } from '../../fs/stamp.js';
import type { SiteLink, StandalonePage } from '../../host/page-types.js';
import type { Log } from '../../log.js';
import { type ContentFolder, isGone, sameStamp } from '../../store/catalog/entry.js';
import { isWatchedName } from '../../store/catalog/scan.js';
import { fileAt } from '../outputs/addresses.js';

/** A page that the owner wrote: `pages/about.md` is the page `/about/`. */
export interface SourcePage extends StandalonePage {
  /** Below the site's address. */
  readonly path: string;
  /** Why it cannot be read; what stands of it stays. */
  readonly broken?: string;
}

/** All pages that the owner wrote, in the order of their paths. */
export interface StandalonePages {
  /** By their files below the output folder. */
  readonly all: ReadonlyMap<string, SourcePage>;
  /** Those that say that they are in the navigation, in their order. */
  readonly navigation: readonly SiteLink[];
  /** Of everything that they hold. */
  readonly digest: string;
}

/** What the owner wrote of a tag or an author, in `tags/<slug>.md` or `authors/<slug>.md`; an entry of the index. */
export interface TermText extends StandalonePage {
  /** Below the content folder. */
  readonly path: string;
  readonly stamp: Stamp;
}

/**
 * Reads the pages. A malformed one is left out of everything but `all`.
 *
 * @param log where malformed ones are reported.
 */
export function readStandalonePages(content: ContentFolder, log?: Log): StandalonePages {
  const pages = markdownIn(content, 'pages').map((name): SourcePage => {
    const path = `/${name.slice('pages/'.length, -'.md'.length)}/`;
    try {
      return { path, ...readText(content, name) };
    } catch (error) {
      const broken = messageOf(error);
      log?.warn({ path, reason: broken }, 'malformed page; what stands of it stays');
      return { path, title: '', description: '', html: '', toc: [], extra: {}, broken };
    }
  });
  const linked = pages.flatMap((page) => linkOf(page) ?? []);
  linked.sort((a, b) => a.order - b.order);
  return {
    all: new Map(pages.map((page) => [fileAt(page.path), page])),
    navigation: linked.map(({ label, href }) => ({ label, href })),
    digest: hash('sha256', JSON.stringify(pages)),
  };
}

/** The link of a page whose front matter has `navigation: true`, or `navigation: Label`; `order` sorts them. */
function linkOf({ path, title, extra }: SourcePage): (SiteLink & { readonly order: number }) | undefined {
  const { navigation, order } = extra;
  if (navigation !== true && (typeof navigation !== 'string' || navigation === '')) return undefined;
  return { label: navigation === true ? title : navigation, href: path, order: Number(order ?? 0) || 0 };
}

/** Whether a path below the content folder is that of a `TermText`. */
export function isTermTextPath(path: string): boolean {
  return /^(?:tags|authors)\/[^/]+\.md$/.test(path) && path.split('/').every(isWatchedName);
}

/** The path of the file that describes the term with this address, such as `/tags/soil/`. */
export function termTextPathOf(address: string): string {
  return `${address.slice(1, -1)}.md`;
}

/** The paths of all such files. */
export function termTextPathsIn(content: ContentFolder): string[] {
  return ['tags', 'authors'].flatMap((folder) => markdownIn(content, folder)).filter(isTermTextPath);
}

/**
 * Reads such a file.
 *
 * @param known what was read of it last, which is returned where the file is still the same.
 * @returns undefined where it is gone.
 * @throws PressmarkError FRONT_MATTER_INVALID; or the system's error.
 */
export function readTermText(
  content: ContentFolder,
  path: string,
  known: TermText | undefined,
): TermText | undefined {
  try {
    const stamp = stampOf(fs.statSync(join(content.root, path)));
    if (known !== undefined && sameStamp(known.stamp, stamp)) return known;
    const text = readText(content, path);
    // The format gives a file without a title its name.
    const title = text.title === posix.basename(path, '.md') ? '' : text.title;
    return { path, stamp, ...text, title };
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

function readText(content: ContentFolder, name: string): StandalonePage {
  const text = fs.readFileSync(join(content.root, name), 'utf8');
  const { article, html } = content.format.decodeForPages(text, name);
  const { title, description, extra } = article;
  return { title, description, html: html(), toc: [], extra };
}

/** The Markdown files below a folder of the content folder, which need not exist, in their order. */
function markdownIn({ root }: ContentFolder, folder: string): string[] {
  try {
    return fs
      .readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => name.replaceAll('\\', '/'))
      .filter((name) => name.endsWith('.md') && name.split('/').every(isWatchedName))
      .sort()
      .map((name) => `${folder}/${name}`);
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}
