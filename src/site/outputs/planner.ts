import { hash } from 'node:crypto';
import type { OnFilterFailure } from '../../host/hooks/calls.js';
import type { Post } from '../index/article-entry.js';
import type { Derived } from '../index/derived-data.js';
import type { SiteIndex } from '../index/site-index.js';
import type { Page } from '../render/page.js';
import type { Renderer } from '../render/render.js';

/** What a file holds: text, as a rule; a theme's pictures and fonts are bytes. */
export type Content = string | Uint8Array;

/** A file of the site before it is made. */
export interface Planned {
  /** Below the output folder, with forward slashes. */
  readonly path: string;
  /** Changes with everything that the file is made of. While it stays the same, the file is not made again. */
  readonly key: string;
  /**
   * Makes the file; undefined if that is not possible now and the file that stands there stays.
   *
   * @param onFailure see `Hooks.applyFilters`.
   */
  render(onFailure?: OnFilterFailure): Content | undefined | Promise<Content | undefined>;
}

/** What files are planned from: the articles, and how the site looks. Neither ever changes. */
export interface Sources {
  readonly index: SiteIndex;
  readonly renderer: Renderer;
  /** What the page of an article shows of data that plugins derive. */
  readonly derivedOf: (post: Post) => Derived;
  /** The files that were built at a place, such as `decks/` or `llms.txt`. */
  readonly builtAt: (place: string) => string[];
}

/**
 * Plans the files of one kind that the site has now, such as its feeds. A key that forgets an input leaves a stale file
 * behind.
 */
export type Planner = (sources: Sources) => Iterable<Planned>;

/** The key of a file that is made of these inputs. */
export function cacheKey(...inputs: readonly string[]): string {
  return hash('sha1', inputs.join('\0'), 'base64');
}

/** Plans a page that depends on these inputs, besides all that the renderer's key stands for. */
export function plannedPage(
  { renderer }: Pick<Sources, 'renderer'>,
  path: string,
  inputs: readonly string[],
  page: () => Page | undefined,
): Planned {
  return {
    path,
    key: cacheKey(renderer.key, ...inputs),
    render: (onFailure) => {
      const made = page();
      return made && renderer.render(made, onFailure);
    },
  };
}
