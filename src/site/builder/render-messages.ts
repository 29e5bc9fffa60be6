import type { SiteInfo } from '../../host/page-types.js';
import type { ArticleJob } from '../outputs/article-pages.js';
import type { StagedFile } from '../write/staged-file.js';

/** An article's page as a render worker is asked to make it. */
export interface RenderJob extends ArticleJob {
  /** The size of the page as it stands, in bytes; the same page is not written again. Undefined where none stands. */
  readonly standing: number | undefined;
}

/** What the builder asks of a render worker. */
export type RenderRequest =
  /** To look at the site as it is looked at here; `digest` is the theme's. */
  | {
      readonly kind: 'prepare';
      readonly themeDirs: readonly string[];
      readonly site: SiteInfo;
      readonly digest: string;
    }
  /** To look at the beginnings of article files. */
  | { readonly kind: 'headers'; readonly paths: readonly string[] }
  /** To write staged files of pages into a folder, for the output folder `root`. */
  | {
      readonly kind: 'make';
      readonly jobs: readonly RenderJob[];
      /** The slugs of the terms that these pages link to, by their names. */
      readonly tags: ReadonlyMap<string, string>;
      readonly authors: ReadonlyMap<string, string>;
      readonly stagingDir: string;
      /** Whether compressed files lie beside the pages. */
      readonly compress: boolean;
      readonly root: string;
    };

/** What became of a page. */
export type Rendered =
  | { readonly kind: 'staged'; readonly staged: StagedFile; readonly readingMinutes: number | undefined }
  /** It stands as it is. */
  | { readonly kind: 'same'; readonly size: number; readonly readingMinutes: number | undefined }
  /** Left to the builder: its article has changed, it links a term whose slug it was not given, or it has failed. */
  | { readonly kind: 'left' };

/** What a render worker answers, one for every request, in their order. */
export type RenderAnswer =
  | { readonly kind: 'prepared'; readonly alike: boolean }
  /** As JSON, which travels faster; null for a file that must be read whole. */
  | { readonly kind: 'headers'; readonly entries: string }
  | { readonly kind: 'made'; readonly made: readonly Rendered[] };
