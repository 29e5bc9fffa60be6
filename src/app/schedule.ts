import type { ArticleState } from '../article/publication.js';
import { definePlugin, type Plugin } from '../host/plugin.js';
import type { Catalog } from '../store/catalog/catalog.js';
import { type Entry, entryState } from '../store/catalog/entry.js';
import { nextStateChange } from '../store/catalog/state-changes.js';

export interface ScheduleOptions {
  readonly catalog: Pick<Catalog, 'get' | 'entries'>;
  /** The content folder's path below the site's, with a slash at its end. */
  readonly prefix: string;
  /** The moment up to which a receiver has followed the articles, in ms since 1970. */
  readonly since: number;
  /** @default Date.now */
  now?(): number;
}

/** A clock may be set, and a machine may sleep: it is looked at least so often, in milliseconds. */
const LONGEST_MS = 1_000;

/**
 * Says when the state of an article changes: when a date has come, when an article has expired, and when a file has got
 * another date. The dates in the files are all that is needed, so that a restart misses nothing.
 */
export function schedulePlugin({ catalog, prefix, since, now = Date.now }: ScheduleOptions): Plugin {
  return definePlugin({
    name: 'schedule',
    receiver(host) {
      const { log } = host;
      /** The articles that are not live, by the paths of their files below the content folder. */
      const states = new Map<string, ArticleState>();
      let next = Number.POSITIVE_INFINITY;
      let timer: NodeJS.Timeout | undefined;

      function keep(path: string, state: ArticleState): void {
        if (state === 'live') states.delete(path);
        else states.set(path, state);
      }

      function compare(entry: Entry): void {
        const { path, id, url, from, until, broken } = entry;
        if (broken !== undefined) return; // its page stays as it is
        const state = entryState(entry, now());
        if (state === (states.get(path) ?? 'live')) return;
        keep(path, state);
        const change = { path: `${prefix}${path}`, id, url, state };
        const at = isoOf(state === 'expired' ? until : from);
        log.info({ ...change, ...(at !== undefined && { at }) }, `the article is ${state}`);
        void host.doAction('article.stateChanged', change);
      }

      function advance(): void {
        if (now() >= next) {
          for (const entry of catalog.entries()) compare(entry);
          next = nextStateChange(catalog.entries(), now());
        }
        arm();
      }

      function arm(): void {
        clearTimeout(timer);
        if (next === Number.POSITIVE_INFINITY) return;
        timer = setTimeout(advance, Math.min(LONGEST_MS, Math.max(0, next - now()))).unref();
      }

      function changed({ path }: { readonly path: string }): void {
        const entry = catalog.get(path.slice(prefix.length));
        if (entry === undefined) return;
        compare(entry);
        const itsNext = nextStateChange([entry], now());
        if (itsNext >= next) return;
        next = itsNext;
        arm();
      }

      for (const event of [
        'article.published',
        'article.updated',
        'article.created',
        'article.edited',
      ] as const)
        host.addAction(event, changed);
      host.addAction('article.removed', ({ path }) => void states.delete(path.slice(prefix.length)));
      host.addAction('host.ready', () => {
        for (const entry of catalog.entries()) keep(entry.path, entryState(entry, since));
        next = now();
        advance();
      });
      host.onClose(() => clearTimeout(timer));
    },
  });
}

function isoOf(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString();
}
