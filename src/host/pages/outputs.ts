import { isReservedFile } from '../../article/address/reserved.js';
import { quote } from '../../errors.js';
import { checkKeys, complaintsOf } from '../invalid.js';
import type { ArticleSummary, SiteInfo } from './page-types.js';

/** Files of the site that a plugin makes; see `PluginHost.addOutput`. */
export interface SiteOutput {
  /**
   * A file below the site's address, such as `llms.txt`, or a folder with a slash at its end, such as `decks/`. No
   * article gets an address there. `''` stands for the whole site: a file of `paths` is made where the site has no other.
   */
  readonly path: string;
  /** The files that there are now. @default the one at `path` */
  paths?(site: SiteView): Iterable<string>;
  /**
   * Makes one of the files. What it gives may depend on `site` and on the plugin's own code and options, and on nothing
   * else: the file is made again when an article has changed, and when the plugin has.
   */
  render(path: string, site: SiteView): string | Uint8Array | Promise<string | Uint8Array>;
}

/** The site as outputs see it. */
export interface SiteView {
  readonly site: SiteInfo;
  readonly articles: SiteArticles;
}

/** The articles that have pages, newest first. */
export interface SiteArticles extends Iterable<ArticleSummary> {
  readonly count: number;
  /** The newest ones, at most so many. */
  newest(count: number): ArticleSummary[];
  /** Those with a tag. */
  tagged(tag: string): ArticleSummary[];
  /** Those of an author. */
  by(author: string): ArticleSummary[];
}

/** An output and the plugin that has added it. */
export interface PluginOutput {
  readonly plugin: string;
  readonly output: SiteOutput;
}

/** A path whose names are plain: none that leads elsewhere, none that servers keep to themselves but `.well-known`. */
const PATH =
  /^(?:\.well-known\/)?(?:[^/\\.\x00-\x1f\x7f][^/\\\x00-\x1f\x7f]*\/)*(?:[^/\\.\x00-\x1f\x7f][^/\\\x00-\x1f\x7f]*)?$/;

/**
 * Checks an output that a plugin adds.
 *
 * @param others what was added before.
 * @throws PressmarkError PLUGIN_INVALID
 */
export function checkOutput({ plugin, output }: PluginOutput, others: readonly PluginOutput[]): void {
  const { path, render, paths }: { path: unknown; render: unknown; paths?: unknown } = output;
  const complain = complaintsOf(plugin);
  checkKeys(output, ['path', 'paths', 'render'], complaintsOf(plugin, `the output ${quote(String(path))}: `));
  if (typeof path !== 'string' || (path === '' && paths === undefined) || !isPlainPath(path))
    throw complain(
      `${quote(String(path))} is not the path of an output; name a file such as "llms.txt", or a folder such as "decks/"`,
    );
  if (typeof render !== 'function') throw complain(`the output ${quote(path)} has no function render`);
  if (isReservedFile(path.endsWith('/') ? `${path}index.html` : path))
    throw complain(`the output ${quote(path)} is a file of the site's own; choose another path`);
  const other = others.find((known) => path !== '' && known.output.path.toLowerCase() === path.toLowerCase());
  if (other !== undefined)
    throw complain(`the output ${quote(path)} is that of plugin ${other.plugin}; choose another path`);
}

/** Whether a path below the output folder leads to a file in it, under names that any server shows. */
export function isPlainPath(path: string): boolean {
  return PATH.test(path) && !path.startsWith('/');
}
