import type { Post } from '../index/article-entry.js';
import type { DataOnPage } from '../index/derived-data.js';
import type { SiteIndex } from '../index/site-index.js';
import type { Planned } from '../planned.js';
import type { RenderContext } from '../render/render-context.js';

/** What files are planned from: the articles, and how the site looks. Neither ever changes. */
export interface Sources {
  readonly index: SiteIndex;
  readonly context: RenderContext;
  /** What the page of an article shows of data that plugins derive. */
  readonly partsOf: (post: Post) => DataOnPage;
}

/** One kind of files of the site, such as its feeds. */
export interface Output {
  /**
   * Its files and folders (with a slash at the end) at the top of the site: no article has its page there. A `*` stands
   * for any part of a name.
   */
  readonly reserved: readonly string[];
  /** The files that it has now. A key that forgets an input leaves a stale file behind. */
  plan(sources: Sources): Iterable<Planned>;
}

/** The files of all outputs; where two have the same file, the first one makes it. */
export function* planAll(outputs: readonly Output[], sources: Sources): Generator<Planned> {
  const seen = new Set<string>();
  for (const output of outputs) {
    for (const planned of output.plan(sources)) {
      if (seen.has(planned.path)) continue;
      seen.add(planned.path);
      yield planned;
    }
  }
}

/** Matches the files at reserved places; a file is reserved as a folder too, and a page as `.htm` and `.html`. */
export function reservedPlaces(outputs: readonly Output[]): RegExp {
  const patterns = outputs
    .flatMap(({ reserved }) => reserved)
    .map((place) => {
      const name = place
        .replace(/\/$/, '')
        .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
        .replaceAll('*', '[^/]*');
      return place.endsWith('/') ? `${name}(?:/.*|\\.html?)` : `${name.replace(/html$/, 'html?')}(?:/.*)?`;
    });
  return new RegExp(`^(?:${patterns.join('|')})$`, 'i');
}
