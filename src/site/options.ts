import type { Hooks } from '../host/hooks/hooks.js';
import type { PluginOutput } from '../host/pages/outputs.js';
import type { PageAdditions, ThemeFolder } from '../host/pages/page-additions.js';
import type { SiteInfo } from '../host/pages/page-types.js';
import type { Log } from '../log.js';
import type { Catalog } from '../store/catalog/catalog.js';
import type { ContentFolder } from '../store/catalog/content-folder.js';
import type { TermSlug } from './index/taxonomy.js';

/** Static hosts that need additional files. */
export type Hosting = 'cloudflare-pages' | 'github-pages' | 'netlify';

/** The options of a site's builder. */
export interface SiteOptions {
  readonly content: ContentFolder;
  /** The output folder, absolute; created if it does not exist. It is Pressmark's own; the owner's files are in `staticDir`. */
  readonly outputDir: string;
  /** The state folder, absolute. */
  readonly stateDir: string;
  /** The folder of files that are copied to the site unchanged, absolute. It need not exist. */
  readonly staticDir: string;
  /**
   * The folders of themes, parents first, and last the site's own templates; they need not exist. The built-in theme is the
   * parent of all.
   */
  readonly themeDirs: readonly ThemeFolder[];
  readonly site: SiteInfo;
  readonly log: Log;
  readonly hooks: Hooks;
  /** Plugins' additions to pages, besides hooks and outputs. */
  readonly additions: PageAdditions;
  /** The outputs of plugins. */
  readonly outputs: readonly PluginOutput[];
  /** Makes the last segment of a tag's or author's address. @default in its own script */
  readonly termSlug?: TermSlug | undefined;
  /** The number of articles on the home page and on every full page of a list. */
  readonly pageSize: number;
  /** The static hosts that need additional files. */
  readonly hosting: readonly Hosting[];
  /** The Content-Security-Policy that hosts send; false for none. @default the policy that the theme needs */
  readonly contentSecurityPolicy?: string | false | undefined;
  /** The catalog that article files are compared with; others may only read it. @default a new one */
  readonly catalog?: Catalog;
  /**
   * Returns a key of other inputs of all pages, such as the plugins and their versions. If it changes, all pages are made
   * again.
   */
  readonly setupKey?: () => string;
  /** How long to wait for another process that builds the site, in milliseconds. @default until it ends */
  readonly lock?: { readonly longestMs: number };
}
