import type { Article } from '../../article/article.js';
import { renderedHtml } from '../../article/stored-article.js';
import { isGone, messageOf } from '../../errors.js';
import { type Fingerprint, sameFingerprint } from '../../fs/fingerprint.js';
import type { SiteInfo } from '../../host/pages/page-types.js';
import type { Log } from '../../log.js';
import type { Catalog } from '../../store/catalog/catalog.js';
import {
  type ContentFolder,
  type DecodedFile,
  isMalformed,
  readArticleSync,
} from '../../store/catalog/content-folder.js';
import { entryOf, NEVER_READ } from '../../store/catalog/entry.js';
import { isArticlePath, readIfChanged, walk } from '../../store/catalog/scan.js';
import { type ArticleEntry, articleEntry, authorOf, type Post, tagsOf } from './article-entry.js';
import type { DerivedData } from './derived-data.js';
import { isOwnerTextPath, type OwnerText, ownerTextPathsIn, readOwnerText } from './owner-texts.js';
import type { PeopleMarkdown } from './people-markdown.js';

/** The content of an article's file for its own page. */
export interface ArticleText {
  readonly fingerprint: Fingerprint;
  /** The article, with author and tags as on all pages. */
  readonly article: Omit<Article, 'body' | 'contentHtml'>;
  readonly html: string;
}

/** The site's view of the content folder; see `openSiteArticles`. */
export type Articles = ReturnType<typeof openSiteArticles>;

/** The state that is kept between two runs, so that a start reads only changed files. */
export interface SavedArticles {
  /** A key of the settings for reading files. With another key, all files are read again. */
  readonly parseKey: string;
  readonly articles: readonly ArticleEntry[];
  readonly texts: readonly OwnerText[];
}

interface ReadingOptions {
  /** Renders people's Markdown. @default without plugins' extensions */
  readonly markdown?: PeopleMarkdown | undefined;
  /** Plugins' derived data. @default none */
  readonly data?: DerivedData;
  /** See `SavedArticles`. */
  readonly parseKey?: string;
}

/** How much text is kept in memory, in characters, so that a small site's articles are read only once for several files. */
const LONGEST_KEPT = 6_000_000;

/**
 * Reads the files of the content folder. A malformed file keeps its last entry, so that an unfinished edit does not remove an
 * article from the site.
 *
 * @param catalog the files are compared with it; it includes malformed ones. Others may read it, only this module may write it.
 */
export function openSiteArticles(
  content: ContentFolder,
  site: SiteInfo,
  catalog: Catalog,
  log: Log,
  { markdown, data, parseKey = '' }: ReadingOptions = {},
) {
  const articles = new Map<string, ArticleEntry>();
  const texts = new Map<string, OwnerText>();
  /** The paths of files that are malformed or cannot be read now. */
  const broken = new Set<string>();
  /** The paths of files that have changed since they were read, perhaps unreported, such as the target of a symbolic link. */
  const changed = new Set<string>();
  /** The texts that were read last, the oldest first, and their length in characters. */
  const recent = new Map<string, ArticleText>();
  let kept = 0;

  /** Loads the saved state; `readAll` compares the files with it. */
  function restore(saved: SavedArticles): void {
    const known = <T extends { readonly fingerprint: Fingerprint }>(entry: T): T =>
      saved.parseKey === parseKey ? entry : { ...entry, fingerprint: NEVER_READ };
    for (const entry of saved.articles.map(known)) {
      articles.set(entry.path, entry);
      catalog.set(entry);
    }
    for (const text of saved.texts.map(known)) texts.set(text.path, text);
  }

  /** Reads these files again if they have changed, and those in which `textAt` has found a change. */
  function read(paths: Iterable<string>): void {
    const all = new Set([...paths, ...changed]);
    changed.clear();
    for (const path of all) {
      // In this order, as a site of another generator may have its articles in a folder such as `pages`.
      if (isArticlePath(content, path)) refreshArticle(path);
      else if (isOwnerTextPath(path)) refreshOwnerText(path);
    }
  }

  /** Compares all article files with the entries. @param pause is called after each file, and may throw to stop. */
  async function readAll(pause: () => Promise<unknown>): Promise<void> {
    const seen = new Set<string>();
    for (const path of walk(content)) {
      seen.add(path);
      refreshArticle(path);
      await pause();
    }
    for (const path of [...articles.keys()]) if (!seen.has(path)) refreshArticle(path);
  }

  /** Reads the owner's texts again that have changed. */
  function readOwnerTexts(): void {
    for (const path of new Set([...ownerTextPathsIn(content), ...texts.keys()])) refreshOwnerText(path);
  }

  function refreshArticle(path: string): void {
    const change = readIfChanged(content, catalog, path);
    if (change === undefined) return;
    const { after, file } = change;
    if (after === undefined) {
      articles.delete(path);
      broken.delete(path);
    } else if (file === undefined) {
      broken.add(path);
      const reason = after.broken;
      log.warn({ path, reason }, 'malformed or unreadable article file; its page stays as it was');
    } else {
      broken.delete(path);
      const { html } = keep(path, articleText(file, markdown));
      const made = articleEntry(after, site, file.stored.article, html);
      const inputs = data?.inputsOf(made, html);
      articles.set(path, inputs === undefined ? made : { ...made, inputs });
    }
  }

  function refreshOwnerText(path: string): void {
    try {
      const text = readOwnerText(content, path, texts.get(path), markdown);
      if (text === undefined) texts.delete(path);
      else texts.set(path, text);
    } catch (error) {
      log.warn({ path, reason: messageOf(error) }, 'malformed page; it stays as it was last read');
    }
  }

  /**
   * Reads the text of an article, if its file is unchanged since its entry was read.
   *
   * @returns undefined if the file has changed or is gone.
   * @throws the system's error if it cannot be read now.
   */
  function textAt({
    path,
    fingerprint,
  }: Pick<ArticleEntry, 'path' | 'fingerprint'>): ArticleText | undefined {
    const known = recent.get(path);
    if (known !== undefined && sameFingerprint(known.fingerprint, fingerprint)) return known;
    const text = readNow(path);
    if (text !== undefined && sameFingerprint(text.fingerprint, fingerprint)) return keep(path, text);
    changed.add(path);
    return undefined;
  }

  /** Makes the post for a file that is not stored; undefined if this site does not serve its URL. */
  function draftOf(
    path: string,
    fileText: string,
  ): { readonly post: Post; readonly text: ArticleText } | undefined {
    const stored = content.format.decode(fileText, path);
    const text = articleText({ stored, fingerprint: NEVER_READ }, markdown);
    const entry = articleEntry(entryOf(path, stored, NEVER_READ), site, stored.article, text.html);
    const { file } = entry;
    return file === null ? undefined : { post: { ...entry, file }, text };
  }

  function readNow(path: string): ArticleText | undefined {
    try {
      return articleText(readArticleSync(content, path), markdown);
    } catch (error) {
      if (isGone(error) || isMalformed(error)) return undefined;
      throw error;
    }
  }

  function keep(path: string, text: ArticleText): ArticleText {
    forget(path);
    recent.set(path, text);
    kept += sizeOf(text);
    for (const oldest of recent.keys()) {
      if (kept <= LONGEST_KEPT) break;
      forget(oldest);
    }
    return text;
  }

  function forget(path: string): void {
    const text = recent.get(path);
    if (text !== undefined) kept -= sizeOf(text);
    recent.delete(path);
  }

  return {
    restore,
    read,
    readAll,
    readOwnerTexts,
    textAt,
    draftOf,
    /** All articles that could be read, by the path of the file. */
    entries: articles as ReadonlyMap<string, ArticleEntry>,
    /** The owner's texts, by the path of the file. */
    texts: texts as ReadonlyMap<string, OwnerText>,
    /** Whether a file is malformed or cannot be read now. */
    hasBroken: () => broken.size > 0,
    isBroken: (path: string) => broken.has(path),
    saved: (): SavedArticles => ({
      parseKey,
      articles: [...articles.values()],
      texts: [...texts.values()],
    }),
  };
}

function articleText(
  { fingerprint, stored }: DecodedFile,
  markdown: PeopleMarkdown | undefined,
): ArticleText {
  const { article } = stored;
  const { body, contentHtml, ...rest } = article;
  const html = renderedHtml(stored, markdown);
  return {
    fingerprint,
    article: { ...rest, author: authorOf(article), tags: tagsOf(article) },
    html,
  };
}

function sizeOf({ fingerprint, html }: ArticleText): number {
  return fingerprint.size + html.length;
}
