import { isReservedFile } from '../../article/address/reserved.js';
import { quote } from '../../errors.js';
import { checkKeys, complaintsOf } from '../invalid.js';
import type { ArticleSummary, SiteInfo } from './page-types.js';

/** Files of the site that a plugin makes; see `PluginHost.addOutput`. */
export interface SiteOutput {
  /**
   * A file below the site's address, such as `llms.txt`, or a folder with a trailing slash, such as `decks/`. No article gets
   * an address there. `''` stands for the whole site: a file of `paths` is made if the site has no other file at its path.
   */
  readonly path: string;
  /** The present files. @default the file at `path` */
  paths?(site: SiteView): Iterable<string>;
  /**
   * Renders one of the files. The result may only depend on `site` and on the plugin's own code and options: the file is made
   * again when an article or the plugin has changed.
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
  /** The newest articles, at most `count`. */
  newest(count: number): ArticleSummary[];
  /** The articles with a tag. */
  tagged(tag: string): ArticleSummary[];
  /** The articles of an author. */
  by(author: string): ArticleSummary[];
}

/** An output and its plugin. */
export interface PluginOutput {
  readonly plugin: string;
  readonly output: SiteOutput;
}

/** A path of plain names: no `..`, and no hidden name except `.well-known`, as servers do not serve those. */
const PATH =
  /^(?:\.well-known\/)?(?:[^/\\.\x00-\x1f\x7f][^/\\\x00-\x1f\x7f]*\/)*(?:[^/\\.\x00-\x1f\x7f][^/\\\x00-\x1f\x7f]*)?$/;

/**
 * Checks an output that a plugin adds.
 *
 * @param others the outputs that were added before.
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

/** Whether a path leads to a file in the output folder, with names that every server serves. */
export function isPlainPath(path: string): boolean {
  return PATH.test(path) && !path.startsWith('/');
}
