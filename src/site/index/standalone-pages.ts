import { hash } from 'node:crypto';
import fs from 'node:fs';
import { join, posix } from 'node:path';
import { messageOf } from '../../errors.js';
import type { SiteLink, StandalonePage } from '../../host/page-types.js';
import type { Log } from '../../log.js';
import { type ContentFolder, isGone } from '../../store/catalog/entry.js';
import { isWatchedName } from '../../store/catalog/scan.js';

/** The folder below the content folder in which the owner's pages are. */
export const PAGES = 'pages/';

/** A page that the owner wrote. */
export interface SourcePage extends StandalonePage {
  /** Its page, below the output folder. */
  readonly file: string;
  /** Below the site's address. */
  readonly path: string;
  /** Why it cannot be read; what stands of it stays. */
  readonly broken?: string;
}

/** All pages that the owner wrote, in the order of their paths. */
export interface StandalonePages {
  readonly all: ReadonlyMap<string, SourcePage>;
  /** Those that say that they are in the navigation, in their order. */
  readonly navigation: readonly SiteLink[];
  /** Of everything that they hold. */
  readonly digest: string;
}

/**
 * Reads the pages: `pages/about.md` is the page `/about/`. A malformed one is left out of everything but `all`.
 *
 * @param log where malformed ones are reported.
 */
export function readStandalonePages(content: ContentFolder, log?: Log): StandalonePages {
  const pages = namesIn(join(content.root, PAGES)).map((name) => readPage(content, `${PAGES}${name}`));
  for (const { path, broken } of pages)
    if (broken !== undefined) log?.warn({ path, reason: broken }, 'malformed page; what stands of it stays');
  const linked = pages.flatMap((page) => linkOf(page) ?? []);
  linked.sort((a, b) => a.order - b.order);
  return {
    all: new Map(pages.map((page) => [page.file, page])),
    navigation: linked.map(({ label, href }) => ({ label, href })),
    digest: hash('sha256', JSON.stringify(pages)),
  };
}

function readPage(content: ContentFolder, name: string): SourcePage {
  const path = `/${name.slice(PAGES.length, -'.md'.length)}/`;
  const file = `${path.slice(1)}index.html`;
  try {
    const text = fs.readFileSync(join(content.root, name), 'utf8');
    const { article, html } = content.format.decodeForPages(text, name);
    const { title, description, extra } = article;
    return { file, path, title, description, html: html(), toc: [], extra };
  } catch (error) {
    const broken = messageOf(error);
    return { file, path, title: '', description: '', html: '', toc: [], extra: {}, broken };
  }
}

/** The link of a page whose front matter has `navigation: true`, or `navigation: Label`; `order` sorts them. */
function linkOf({ path, title, extra }: SourcePage): (SiteLink & { readonly order: number }) | undefined {
  const { navigation, order } = extra;
  if (navigation !== true && (typeof navigation !== 'string' || navigation === '')) return undefined;
  return { label: navigation === true ? title : navigation, href: path, order: Number(order ?? 0) || 0 };
}

function namesIn(folder: string): string[] {
  try {
    return fs
      .readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => name.replaceAll('\\', '/'))
      .filter((name) => name.endsWith('.md') && name.split('/').every(isWatchedName))
      .filter((name) => posix.basename(name) !== '.md')
      .sort();
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}
