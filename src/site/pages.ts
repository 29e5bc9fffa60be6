import type { SiteInfo } from '../host/page-types.js';
import { fileAt } from './addresses.js';
import type { Group, Groups } from './groups.js';
import type { IndexEntry } from './index-entry.js';
import { changedNumbers, listNumber, listPage, listPath, listPaths } from './lists.js';
import type { Model } from './model.js';
import { numbered, type Page, sitePage, summaryOf } from './page.js';
import { isChangedFrom, type Piece, type Series } from './series.js';
import type { SiteFile } from './site-files.js';
import { createSitemap } from './sitemap.js';
import { createTagIndex } from './tag-index.js';
import type { Text } from './words.js';

/** What makes a file of the output. */
export type Recipe =
  | { readonly is: 'article'; readonly piece: Piece }
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
    /** Articles that have no page; see `ModelChanges`. */
    readonly homeless: readonly IndexEntry[];
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
 * @param besides the files beside the pages, as the theme makes them now.
 */
export function createPages(
  site: SiteInfo,
  model: Model,
  pageSize: number,
  besides: () => ReadonlyMap<string, SiteFile>,
): Pages {
  const { all, tags, authors } = model;
  const tagIndex = createTagIndex(site, tags);
  const sitemap = createSitemap(site, all);

  function at(file: string): Recipe | undefined {
    const piece = model.at(file);
    if (piece !== undefined) return { is: 'article', piece };
    const make = besides().get(file)?.make ?? sitemap.at(file);
    if (make !== undefined) return { is: 'file', make };
    if (file === HOME) return { is: 'page', page: home };
    return (
      tagIndex.at(file) ?? archiveAt(file) ?? groupAt(file, 'tag', tags) ?? groupAt(file, 'author', authors)
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

  function groupAt(file: string, kind: 'tag' | 'author', groups: Groups): Recipe | undefined {
    const slug = FOLDER[kind].exec(file)?.[1];
    const group = slug === undefined ? undefined : groups.at(slug);
    if (group === undefined) return undefined;
    const { name } = group;
    return listAt(file, group.address, group.series, (path, number) => {
      const texts = { title: numbered(name, number), description: DESCRIBED[kind](name) };
      return { ...sitePage(site, kind, path, texts), [kind]: name };
    });
  }

  function listAt(
    file: string,
    address: string,
    series: Series,
    frameOf: (path: string, number: number) => Page,
  ): Recipe | undefined {
    const folder = address.slice(1);
    const number = file.startsWith(folder) ? listNumber(file.slice(folder.length)) : undefined;
    if (number === undefined) return undefined;
    const list = listPage(address, series, number, pageSize);
    if (list === undefined) return undefined;
    const { path, items, newer, older } = list;
    const articles = () => items.map(({ entry }) => summaryOf(entry));
    return {
      is: 'page',
      page: () => ({ ...frameOf(path, number), articles: articles(), number, newer, older }),
    };
  }

  function* files(): Generator<string> {
    for (const { file } of all.items) yield file;
    yield HOME;
    yield* besides().keys();
    yield* sitemap.files();
    yield* tagIndex.files();
    yield* filesOfList(ARCHIVE, all.items.length);
    for (const groups of [tags, authors])
      for (const { address, series } of groups.all()) yield* filesOfList(address, series.items.length);
  }

  function settle() {
    const changes = model.settle();
    const found = new Set(changes.files);
    const add = (files: Iterable<string>) => {
      for (const file of files) found.add(file);
    };
    const moved = all.takeChanges();
    if (isChangedFrom(moved, all.items.length - pageSize)) found.add(HOME);
    for (const [file, { shows }] of besides())
      if (shows !== 'nothing' && isChangedFrom(moved, all.items.length - shows)) found.add(file);
    add(sitemap.changed(moved));
    add(tagIndex.take(changes.tags));
    add(changedInList(ARCHIVE, all, moved));
    // Before the lists are asked, who then have forgotten how long they were.
    for (const { address, count } of [...changes.tags.left, ...changes.authors.left])
      add(filesOfList(address, count));
    for (const group of changes.lists) add(changedInGroup(group));
    return { files: found, homeless: changes.homeless };
  }

  function changedInGroup({ address, series }: Group): string[] {
    return changedInList(address, series, series.takeChanges());
  }

  function changedInList(
    address: string,
    { items }: Series,
    changes: ReturnType<Series['takeChanges']>,
  ): string[] {
    return [...changedNumbers(changes, items.length, pageSize)].map((number) =>
      fileAt(listPath(address, number)),
    );
  }

  function filesOfList(address: string, count: number): string[] {
    return listPaths(address, count, pageSize).map(fileAt);
  }

  const isAsset = (file: string) => besides().get(file)?.isAsset === true;
  return { at, isAsset, files, settle };
}
