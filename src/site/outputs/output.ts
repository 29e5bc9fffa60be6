import type { SiteChange } from '../index/site-index.js';
import type { Page } from '../render/page.js';

/** What a file holds: text, as a rule; a theme's pictures and fonts are bytes. */
export type Content = string | Uint8Array;

/**
 * One kind of files of the site, such as its feeds. A file is a function of the index, the settings, the theme and what
 * the output itself declares, so that building what a change affects leaves what a clean build makes. Paths are below
 * the output folder, with forward slashes.
 */
export interface Output {
  /**
   * Its files and folders (with a slash at the end) at the top of the site: no article has its page there. A `*` stands
   * for any part of a name.
   */
  readonly reserved: readonly string[];
  /** Whether pages link its files, which must therefore stand before the pages do. @default false */
  readonly isAsset?: boolean;
  /** The files that it has now. */
  paths(): Iterable<string>;
  /** Whether this is one of them. */
  has(path: string): boolean;
  /**
   * The files that may differ after a change, also those that no longer exist. Called with every change once, in their order.
   */
  affectedBy(change: SiteChange): Iterable<string>;
  /**
   * Makes one of its files.
   *
   * @returns undefined where it cannot be made now, and the reader of article files has been asked to look again.
   */
  render(path: string): Content | undefined | Promise<Content | undefined>;
  /** The page that one of its files shows, where nothing but the index makes it: another thread can render that page. */
  page?(path: string): Page | undefined;
  /** Whether a file stays as it is, because what it is made of cannot be read now. @default none does */
  keeps?(path: string): boolean;
  /**
   * For an output whose files are made of other files of the site: those that are made of one of them. They are built
   * after all others, and removed before it changes.
   */
  derivedFrom?(source: string): readonly string[];
}

/** All outputs of a site as one. */
export interface SiteOutputs {
  /** The output that has this file; undefined where the site has no such file now. */
  at(path: string): Output | undefined;
  paths(): Generator<string>;
  /** The files that pages link. */
  assets(): string[];
  affectedBy(change: SiteChange): Set<string>;
  /** The files that are made of a file. */
  derivedFrom(source: string): readonly string[];
  /** Whether a file stands where no article has its page. */
  isReserved(path: string): boolean;
}

/** Puts outputs together; where two have the same file, the first one makes it. */
export function combineOutputs(outputs: readonly Output[]): SiteOutputs {
  const reserved = reservedPlaces(outputs.flatMap((output) => output.reserved));

  function* paths(): Generator<string> {
    for (const output of outputs) yield* output.paths();
  }

  function affectedBy(change: SiteChange): Set<string> {
    const affected = new Set<string>();
    for (const output of outputs) for (const path of output.affectedBy(change)) affected.add(path);
    return affected;
  }

  return {
    at: (path) => outputs.find((output) => output.has(path)),
    paths,
    assets: () => outputs.flatMap((output) => (output.isAsset ? [...output.paths()] : [])),
    affectedBy,
    derivedFrom: (source) => outputs.flatMap((output) => output.derivedFrom?.(source) ?? []),
    isReserved: (path) => reserved.test(path),
  };
}

/** Matches what stands at these places; a file is reserved as a folder too, and a page as `.htm` and `.html`. */
function reservedPlaces(places: readonly string[]): RegExp {
  const patterns = places.map((place) => {
    const name = place
      .replace(/\/$/, '')
      .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '[^/]*');
    return place.endsWith('/') ? `${name}(?:/.*|\\.html?)` : `${name.replace(/html$/, 'html?')}(?:/.*)?`;
  });
  return new RegExp(`^(?:${patterns.join('|')})$`, 'i');
}

/** What an output has whose files are pages that nothing but the index makes. */
export function renderedPages(
  context: () => { render(page: Page): Promise<string> },
  page: (path: string) => Page | undefined,
): Required<Pick<Output, 'page' | 'render'>> {
  return {
    page,
    render: (path) => {
      const made = page(path);
      return made && context().render(made);
    },
  };
}

/**
 * An output of files that depend on no article.
 *
 * @param files what makes each of them, as they are now.
 */
export function fixedOutput(
  reserved: readonly string[],
  files: () => ReadonlyMap<string, () => Content | Promise<Content>>,
): Output {
  return {
    reserved,
    paths: () => files().keys(),
    has: (path) => files().has(path),
    affectedBy: () => [],
    render: (path) => files().get(path)?.(),
  };
}
