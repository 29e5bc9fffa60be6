import { hash } from 'node:crypto';
import type { OnFilterFailure } from '../../host/hooks/calls.js';
import type { Post } from '../index/article-entry.js';
import type { Derived } from '../index/derived-data.js';
import type { SiteIndex } from '../index/site-index.js';
import type { Page } from '../render/page.js';
import type { Renderer } from '../render/render.js';

/** The content of a file: usually text; bytes for a theme's pictures and fonts. */
export type Content = string | Uint8Array;

/** A planned file of the site. */
export interface Planned {
  /** The path below the output folder, with forward slashes. */
  readonly path: string;
  /** A key of all inputs. While it is the same, the file is not made again. */
  readonly key: string;
  /**
   * Makes the file; undefined if that is not possible now, so that the present file stays.
   *
   * @param onFailure see `Hooks.applyFilters`.
   */
  render(onFailure?: OnFilterFailure): Content | undefined | Promise<Content | undefined>;
}

/** The immutable inputs of planners: the articles, and the theme. */
export interface Sources {
  readonly index: SiteIndex;
  readonly renderer: Renderer;
  /** Returns plugins' derived data for an article's page. */
  readonly derivedOf: (post: Post) => Derived;
  /** Lists the built files at a place, such as `decks/` or `llms.txt`. */
  readonly builtAt: (place: string) => string[];
}

/** Plans the files of one kind, such as feeds. A key must have every input; otherwise a stale file stays. */
export type Planner = (sources: Sources) => Iterable<Planned>;

/** Makes a cache key from a file's inputs. */
export function cacheKey(...inputs: readonly string[]): string {
  return hash('sha1', inputs.join('\0'), 'base64');
}

/** Plans a page that depends on these inputs and on the renderer's key. */
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
