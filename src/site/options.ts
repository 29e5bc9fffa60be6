import type { Worker } from 'node:worker_threads';
import type { BuildReport } from '../host/hook-types.js';
import type { Hooks } from '../host/hooks.js';
import type { PluginOutput } from '../host/outputs.js';
import type { SiteInfo } from '../host/page-types.js';
import type { Log } from '../log.js';
import type { Catalog } from '../store/catalog/catalog.js';
import type { ContentFolder } from '../store/catalog/entry.js';

/** Static hosts that want files of their own besides the site's. */
export type Hosting = 'cloudflare-pages' | 'github-pages' | 'netlify';

/** What a site is built from. */
export interface SiteOptions {
  readonly content: ContentFolder;
  /** Absolute; made when it is not there. Files in it that Pressmark did not write stay. */
  readonly outputDir: string;
  /** Absolute; where the manifest of what was built is kept. */
  readonly stateDir: string;
  /**
   * Folders of themes, parents first, and last the site's own templates; they need not exist. The built-in theme is
   * before them all.
   */
  readonly themeDirs: readonly string[];
  readonly site: SiteInfo;
  readonly log: Log;
  readonly hooks: Hooks;
  /** Outputs of plugins. @default none */
  readonly outputs?: readonly PluginOutput[];
  /** Articles on the home page and on every full page of a list. @default 20 */
  readonly pageSize?: number;
  /** Static hosts that want files of their own. @default none */
  readonly hosting?: readonly Hosting[];
  /** The Content-Security-Policy that hosts are to send; false for none. Default: what the theme needs. */
  readonly contentSecurityPolicy?: string | false | undefined;
  /** Whether texts have compressed variants. @default false */
  readonly compress?: boolean;
  /** The builder's index of the articles, for other readers of it. Default: one of its own. */
  readonly catalog?: Catalog;
  /**
   * What else pages depend on, such as the plugins and their versions. Without it a site with page filters is
   * built anew at every start.
   */
  readonly fingerprint?: string;
  /** Starts a thread that renders pages in large builds, in which `serveRenders` answers. Default: none does. */
  spawnRenderWorker?(): Worker;
  /** How long `close` may sync what was built. @default 1000 */
  readonly lastSyncMs?: number;
  /** How many such threads there are. @default 1 */
  readonly renderWorkers?: number;
  /** From so many articles on they are started. @default 1000 */
  readonly poolFrom?: number;
}

/** How everything is built. */
export interface BuildRequest {
  /** Whether every page is built anew; files are still only written where they differ. @default false */
  readonly force?: boolean;
  /**
   * Whether no file is believed to stand as it was written. Then all are compared with what they should be, and what
   * Pressmark wrote in other times is removed too. @default false
   */
  readonly clean?: boolean;
  /** Called after each file with how many are done and how many there are. */
  onProgress?(done: number, of: number): void;
}

/** What a build did. */
export interface SiteReport extends BuildReport {
  /** The pages that stayed as they were. */
  readonly failed: number;
  /** Whether nothing was built, as the site is left to a process with newer settings. @default false */
  readonly isYielded?: boolean;
}
