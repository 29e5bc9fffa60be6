import { messageOf, PressmarkError, quote } from '../../errors.js';
import { isPlainPath, type PluginOutput, type SiteArticles, type SiteView } from '../../host/outputs.js';
import type { ArticleSummary, SiteInfo } from '../../host/page-types.js';
import type { Log } from '../../log.js';
import { TimeoutError, within } from '../../time-limit.js';
import { type ArticleList, isAnyChanged, type Post } from '../index/article-list.js';
import type { SiteChange, SiteIndex } from '../index/site-index.js';
import type { Output } from './output.js';

type SummaryOf = (post: Post) => ArticleSummary;

/** How long a plugin may take to make one file. */
const LONGEST_MS = 5_000;

/** The outputs of plugins as outputs of the site. */
export function pluginOutputs(
  added: readonly PluginOutput[],
  site: SiteInfo,
  index: SiteIndex,
  summaryOf: SummaryOf,
  log: Log,
): Output[] {
  const view: SiteView = { site, articles: articlesOf(index, summaryOf) };
  return added.map((one) => outputOf(one, view, summaryOf, log));
}

function outputOf({ plugin, output }: PluginOutput, view: SiteView, summaryOf: SummaryOf, log: Log): Output {
  const isFolder = output.path.endsWith('/');
  const isBelow = (path: string) => (isFolder ? path.startsWith(output.path) : path === output.path);
  /** The files that there were before the last change, and those that there are now, once somebody has asked. */
  let before: ReadonlySet<string> = new Set();
  let now: ReadonlySet<string> | undefined;

  function paths(): ReadonlySet<string> {
    now ??=
      attempt('paths', () => new Set([...(output.paths?.(view) ?? [output.path])].map(checked))) ?? before;
    return now;
  }

  /** What a function of the plugin gives; where it fails, the log says so, and the build goes on without. */
  function attempt<T>(what: string, work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      log.error({ plugin, output: output.path, reason: messageOf(error) }, `${what} of an output failed`);
      return undefined;
    }
  }

  function checked(path: string): string {
    if (isBelow(path) && !path.endsWith('/') && isPlainPath(path)) return path;
    throw new Error(`${quote(path)} is not a file in ${quote(output.path)}`);
  }

  function affectedBy(change: SiteChange): Set<string> {
    if (!isAnyChanged(change.all)) return new Set();
    before = now ?? before;
    now = undefined;
    const changes = [...change.articles.values()].map(({ before, after }) => ({
      before: before === undefined ? null : summaryOf(before),
      after: after === undefined ? null : summaryOf(after),
    }));
    const affected = new Set(
      attempt('affectedBy', () => [...(output.affectedBy?.(changes, view) ?? paths())]) ?? paths(),
    );
    for (const path of before) if (!paths().has(path)) affected.add(path);
    for (const path of paths()) if (!before.has(path)) affected.add(path);
    return affected;
  }

  async function render(path: string): Promise<string | Uint8Array> {
    const content: unknown = await within(LONGEST_MS, (async () => output.render(path, view))()).catch(
      (error: unknown) => {
        throw failed(
          error instanceof TimeoutError ? `took longer than ${LONGEST_MS} ms` : messageOf(error),
          error,
        );
      },
    );
    if (typeof content === 'string' || content instanceof Uint8Array) return content;
    throw failed('render must return a string or bytes');
  }

  function failed(why: string, cause?: unknown): PressmarkError {
    return new PressmarkError('FILTER_FAILED', `output ${output.path} of plugin ${plugin}: ${why}`, {
      cause,
    });
  }

  return {
    reserved: [output.path],
    paths,
    has: (path) => isBelow(path) && paths().has(path),
    affectedBy,
    render,
  };
}

function articlesOf({ all, tags, authors }: SiteIndex, summaryOf: SummaryOf): SiteArticles {
  const newestFirst = (list: ArticleList | undefined) => [...(list?.items ?? [])].reverse().map(summaryOf);
  return {
    get count() {
      return all.items.length;
    },
    newest: (count) => (count > 0 ? all.items.slice(-count).reverse().map(summaryOf) : []),
    tagged: (tag) => newestFirst(tags.get(tag)?.list),
    by: (author) => newestFirst(authors.get(author)?.list),
    *[Symbol.iterator]() {
      for (let at = all.items.length - 1; at >= 0; at--) {
        const post = all.items[at];
        if (post !== undefined) yield summaryOf(post);
      }
    },
  };
}
