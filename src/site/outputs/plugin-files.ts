import { isReservedFile } from '../../article/address/reserved.js';
import { messageOf, PressmarkError, quote } from '../../errors.js';
import {
  isPlainPath,
  type PluginOutput,
  type SiteArticles,
  type SiteView,
} from '../../host/pages/outputs.js';
import type { SiteInfo } from '../../host/pages/page-types.js';
import { asPlugin } from '../../host/plugin-code.js';
import type { Log } from '../../log.js';
import { TimeoutError, within } from '../../time-limit.js';
import { type Post, summaryOf } from '../index/article-entry.js';
import type { SiteIndex } from '../index/site-index.js';
import type { Renderer } from '../render/render.js';
import { cacheKey, type Planned, type Sources } from './planner.js';

/** How long a plugin may take to make one file, in milliseconds. */
const LONGEST_MS = 5_000;

/** Plans a plugin's files. It needs only the key of the renderer, so that it works with other generators, too. */
export type PluginFiles = (sources: {
  readonly index: SiteIndex;
  readonly renderer: Pick<Renderer, 'key'>;
  /** Lists the built files below a folder, or the file itself. @default none */
  readonly builtAt?: Sources['builtAt'];
}) => Iterable<Planned>;

/**
 * Creates a planner for one plugin's files. They are made again when any article or the plugin has changed.
 *
 * @param longestMs how long the plugin may take to make one file, in milliseconds. @default 5000
 */
export function pluginFiles(
  { plugin, output }: PluginOutput,
  site: SiteInfo,
  log: Log,
  longestMs = LONGEST_MS,
): PluginFiles {
  const isSite = output.path === '';
  const isFolder = isSite || output.path.endsWith('/');
  const isBelow = (path: string) =>
    isFolder ? path.startsWith(output.path) && !(isSite && isReservedFile(path)) : path === output.path;
  /** The plugin's last list of files; undefined before its first answer. */
  let last: readonly string[] | undefined;

  /** If `paths` fails, the present files stay. */
  function pathsOf(view: SiteView, builtAt: Sources['builtAt']): readonly string[] {
    try {
      last = asPlugin(plugin, () => [...(output.paths?.(view) ?? [output.path])].map(checked));
    } catch (error) {
      log.error({ plugin, output: output.path, reason: messageOf(error) }, 'paths of an output failed');
      last ??= isSite ? [] : builtAt(output.path).filter(isBelow);
    }
    return last;
  }

  function checked(path: string): string {
    if (isBelow(path) && !path.endsWith('/') && isPlainPath(path)) return path;
    throw new Error(`${quote(path)} is not a file in ${quote(output.path)}, or one of the site’s own`);
  }

  async function render(path: string, view: SiteView): Promise<string | Uint8Array> {
    const content: unknown = await within(
      longestMs,
      asPlugin(plugin, async () => output.render(path, view)),
    ).catch((error: unknown) => {
      const isLate = error instanceof TimeoutError;
      throw failure(isLate ? `took longer than ${longestMs} ms` : messageOf(error), error);
    });
    if (typeof content === 'string' || content instanceof Uint8Array) return content;
    throw failure('render must return a string or bytes');
  }

  function failure(why: string, cause?: unknown): PressmarkError {
    return new PressmarkError('FILTER_FAILED', `output ${output.path} of plugin ${plugin}: ${why}`, {
      cause,
    });
  }

  return ({ index, renderer, builtAt = () => [] }) => {
    const view = { site, articles: articlesOf(index) };
    const key = cacheKey(renderer.key, index.key());
    return pathsOf(view, builtAt).map((path) => ({ path, key, render: () => render(path, view) }));
  };
}

function articlesOf({ posts, tags, authors }: SiteIndex): SiteArticles {
  const newestFirst = (list: readonly Post[] = []) => [...list].reverse().map(summaryOf);
  return {
    count: posts.length,
    newest: (count) => newestFirst(count > 0 ? posts.slice(-count) : []),
    tagged: (tag) => newestFirst(tags.get(tag)?.posts),
    by: (author) => newestFirst(authors.get(author)?.posts),
    *[Symbol.iterator]() {
      for (let at = posts.length - 1; at >= 0; at--) {
        const post = posts[at];
        if (post !== undefined) yield summaryOf(post);
      }
    },
  };
}
