import type { SiteInfo } from '../../host/page-types.js';
import { type ArticleList, isChangedFrom, type Post } from '../index/article-list.js';
import type { IndexEntry } from '../index/index-entry.js';
import type { SiteIndex } from '../index/site-index.js';
import type { Taxonomy, Term } from '../index/taxonomy.js';
import type { Text } from '../render/i18n.js';
import { numbered, type Page, sitePage, summaryOf } from '../render/page.js';
import { fileAt } from './addresses.js';
import { changedNumbers, listNumber, listPage, listPath, listPaths } from './list-pages.js';
import type { SiteFile } from './site-files.js';
import { createSitemap } from './sitemap.js';
import { createTagIndex } from './tag-index.js';

/** What makes a file of the output. */
export type Recipe =
  | { readonly is: 'article'; readonly post: Post }
  | { readonly is: 'page'; page(): Page }
  | { readonly is: 'file'; readonly make: SiteFile['make'] };

/** Everything that a site consists of. A file depends on the model, the theme and the config, and on nothing else. */
export interface Pages {
  /** What makes this file; undefined where the site has no such file now. */
  at(file: string): Recipe | undefined;
  /** Whether a file is one that pages link; see `SiteFile`. */
  isAsset(file: string): boolean;
  /** All files that the site has now. */
  files(): Generator<string>;
  /** Takes in what has changed in the model. */
  settle(): {
    /** The files that may differ now, also those that are no more. */
    readonly files: Set<string>;
    /** Articles that have no page; see `IndexChanges`. */
    readonly unroutable: readonly IndexEntry[];
  };
}

const HOME = fileAt('/');
const ARCHIVE = '/archive/';

/** Where the lists of tags and authors stand. */
const FOLDER = { tag: /^tags\/([^/]+)\//, author: /^authors\/([^/]+)\// };

/** How the lists of tags and authors are described. */
const DESCRIBED: Record<'tag' | 'author', (name: string) => Text> = {
  tag: (tag) => ({ say: 'articlesAbout', values: { tag } }),
  author: (author) => ({ say: 'articlesBy', values: { author } }),
};

/**
 * The pages of a site.
 *
 * @param pageSize articles on the home page and on every full page of a list.
 * @param statics the files beside the pages, as the theme makes them now.
 */
export function createPages(
  site: SiteInfo,
  index: SiteIndex,
  pageSize: number,
  statics: () => ReadonlyMap<string, SiteFile>,
): Pages {
  const { all, tags, authors } = index;
  const tagIndex = createTagIndex(site, tags);
  const sitemap = createSitemap(site, all);

  function at(file: string): Recipe | undefined {
    const post = index.at(file);
    if (post !== undefined) return { is: 'article', post };
    const make = statics().get(file)?.make ?? sitemap.at(file);
    if (make !== undefined) return { is: 'file', make };
    if (file === HOME) return { is: 'page', page: home };
    return (
      tagIndex.at(file) ?? archiveAt(file) ?? termAt(file, 'tag', tags) ?? termAt(file, 'author', authors)
    );
  }

  function home(): Page {
    const texts = { title: site.title, description: site.description };
    const articles = all.items.slice(-pageSize).reverse();
    return { ...sitePage(site, 'home', '/', texts), articles: articles.map(({ entry }) => summaryOf(entry)) };
  }

  function archiveAt(file: string): Recipe | undefined {
    return listAt(file, ARCHIVE, all, (path, number) => {
      const description = { say: 'archiveOf', values: { site: site.title } };
      return sitePage(site, 'archive', path, { title: numbered({ say: 'archive' }, number), description });
    });
  }

  function termAt(file: string, kind: 'tag' | 'author', terms: Taxonomy): Recipe | undefined {
    const slug = FOLDER[kind].exec(file)?.[1];
    const term = slug === undefined ? undefined : terms.at(slug);
    if (term === undefined) return undefined;
    const { name } = term;
    return listAt(file, term.address, term.list, (path, number) => {
      const texts = { title: numbered(name, number), description: DESCRIBED[kind](name) };
      return { ...sitePage(site, kind, path, texts), [kind]: name };
    });
  }

  function listAt(
    file: string,
    address: string,
    list: ArticleList,
    frameOf: (path: string, number: number) => Page,
  ): Recipe | undefined {
    const folder = address.slice(1);
    const number = file.startsWith(folder) ? listNumber(file.slice(folder.length)) : undefined;
    if (number === undefined) return undefined;
    const found = listPage(address, list, number, pageSize);
    if (found === undefined) return undefined;
    const { path, items, newer, older } = found;
    const articles = () => items.map(({ entry }) => summaryOf(entry));
    return {
      is: 'page',
      page: () => ({ ...frameOf(path, number), articles: articles(), number, newer, older }),
    };
  }

  function* files(): Generator<string> {
    for (const { file } of all.items) yield file;
    yield HOME;
    yield* statics().keys();
    yield* sitemap.files();
    yield* tagIndex.files();
    yield* filesOfList(ARCHIVE, all.items.length);
    for (const terms of [tags, authors])
      for (const { address, list } of terms.all()) yield* filesOfList(address, list.items.length);
  }

  function settle() {
    const changes = index.settle();
    const found = new Set(changes.files);
    const add = (files: Iterable<string>) => {
      for (const file of files) found.add(file);
    };
    const readdressed = all.takeChanges();
    if (isChangedFrom(readdressed, all.items.length - pageSize)) found.add(HOME);
    for (const [file, { shows }] of statics())
      if (shows !== 'nothing' && isChangedFrom(readdressed, all.items.length - shows)) found.add(file);
    add(sitemap.changed(readdressed));
    add(tagIndex.take(changes.tags));
    add(changedInList(ARCHIVE, all, readdressed));
    // Before the lists are asked, who then have forgotten how long they were.
    for (const { address, count } of [...changes.tags.vacated, ...changes.authors.vacated])
      add(filesOfList(address, count));
    for (const term of changes.lists) add(changedInTerm(term));
    return { files: found, unroutable: changes.unroutable };
  }

  function changedInTerm({ address, list }: Term): string[] {
    return changedInList(address, list, list.takeChanges());
  }

  function changedInList(
    address: string,
    { items }: ArticleList,
    changes: ReturnType<ArticleList['takeChanges']>,
  ): string[] {
    return [...changedNumbers(changes, items.length, pageSize)].map((number) =>
      fileAt(listPath(address, number)),
    );
  }

  function filesOfList(address: string, count: number): string[] {
    return listPaths(address, count, pageSize).map(fileAt);
  }

  const isAsset = (file: string) => statics().get(file)?.isAsset === true;
  return { at, isAsset, files, settle };
}
