import type { Hooks } from '../host/hooks/hooks.js';
import type { PluginOutput } from '../host/pages/outputs.js';
import type { PageAdditions, ThemeFolder } from '../host/pages/page-additions.js';
import type { SiteInfo } from '../host/pages/page-types.js';
import type { Log } from '../log.js';
import type { Catalog } from '../store/catalog/catalog.js';
import type { ContentFolder } from '../store/catalog/content-folder.js';
import type { TermSlug } from './index/taxonomy.js';

/** Static hosts that want files of their own besides the site's. */
export type Hosting = 'cloudflare-pages' | 'github-pages' | 'netlify';

/** What a site is built from. */
export interface SiteOptions {
  readonly content: ContentFolder;
  /** Absolute; made when it is not there. It is Pressmark's own: files of the owner's are in `staticDir`. */
  readonly outputDir: string;
  /** Absolute; where it is kept what was built. */
  readonly stateDir: string;
  /** Absolute; files that go to the site as they are. It need not exist. */
  readonly staticDir: string;
  /**
   * Folders of themes, parents first, and last the site's own templates; they need not exist. The built-in theme is
   * before them all.
   */
  readonly themeDirs: readonly ThemeFolder[];
  readonly site: SiteInfo;
  readonly log: Log;
  readonly hooks: Hooks;
  /** What plugins add to pages besides hooks and outputs. */
  readonly additions: PageAdditions;
  /** Outputs of plugins. */
  readonly outputs: readonly PluginOutput[];
  /** Makes the segments of the addresses of tags and authors. @default in their own scripts */
  readonly termSlug?: TermSlug | undefined;
  /** Articles on the home page and on every full page of a list. */
  readonly pageSize: number;
  /** Static hosts that want files of their own. */
  readonly hosting: readonly Hosting[];
  /** The Content-Security-Policy that hosts are to send; false for none. Default: what the theme needs. */
  readonly contentSecurityPolicy?: string | false | undefined;
  /** The builder's index of the articles, for other readers of it. Default: one of its own. */
  readonly catalog?: Catalog;
  /** What else pages depend on, such as the plugins and their versions. Another one builds all pages anew. */
  readonly setupKey?: () => string;
  /** How long another process that builds the site is waited for. @default until it ends */
  readonly lock?: { readonly longestMs: number };
}
