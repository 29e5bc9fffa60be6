import fs from 'node:fs';
import { join } from 'node:path';
import type { ArticleState } from '../article/publication.js';
import { messageOf } from '../errors.js';
import { writeAtomically } from '../fs/atomic-write.js';
import type { StateChange } from '../host/hooks/hook-types.js';
import { definePlugin, type Plugin } from '../host/plugin.js';
import type { Catalog } from '../store/catalog/catalog.js';
import { type Entry, entryState, nextStateChange } from '../store/catalog/entry.js';

export interface ScheduleOptions {
  readonly catalog: Pick<Catalog, 'get' | 'entries'>;
  /** The content folder relative to the site's folder, with a trailing slash. */
  readonly prefix: string;
  /** The moment until which a receiver has followed the articles, in ms since 1970. */
  readonly since: number;
  /** The state folder. Its `states.json` lists the articles that were not live when all handlers had last finished. */
  readonly stateDir: string;
  /** @default Date.now */
  now?(): number;
}

/** The longest timer, in milliseconds: the clock may be set, and the machine may sleep. */
const LONGEST_MS = 1_000;

/**
 * Announces changes of articles' states: a date has come, an article has expired, or a file has a new date or was released. The
 * next receiver announces what a killed one has not announced to all handlers, and what changed while none was running, as it
 * knows which articles were not live.
 */
export function schedulePlugin(options: ScheduleOptions): Plugin {
  const { catalog, prefix, since, stateDir, now = Date.now } = options;
  const file = join(stateDir, 'states.json');
  return definePlugin({
    name: 'schedule',
    receiver(host) {
      const { log } = host;
      /** The articles that are not live, by the paths of their files below the content folder. */
      const states = new Map<string, ArticleState>();
      let next = Number.POSITIVE_INFINITY;
      let timer: NodeJS.Timeout | undefined;
      /** The number of changes with unfinished handlers. */
      let unheard = 0;
      let saved = Promise.resolve();

      function keep(path: string, state: ArticleState): void {
        if (state === 'live') states.delete(path);
        else states.set(path, state);
      }

      function compare(entry: Entry, at: number): void {
        const { path, id, url, from, until, broken } = entry;
        if (broken !== undefined) return; // its page stays as it is
        const state = entryState(entry, at);
        if (state === (states.get(path) ?? 'live')) return;
        keep(path, state);
        const change = { path: `${prefix}${path}`, id, url, state };
        const since = isoOf(state === 'expired' ? until : from);
        log.info({ ...change, ...(since !== undefined && { at: since }) }, `the article is ${state}`);
        void say(change);
      }

      async function say(change: StateChange): Promise<void> {
        unheard++;
        await host.doAction('article.stateChanged', change);
        if (--unheard === 0) saved = saved.then(save);
      }

      async function save(): Promise<void> {
        if (unheard > 0) return;
        try {
          await writeAtomically(file, JSON.stringify([...states]));
        } catch (error) {
          log.debug({ reason: messageOf(error) }, `${file} cannot be written; the next start says it again`);
        }
      }

      function advance(): void {
        const at = now(); // one moment for both, so that no change falls between them
        if (at >= next) {
          for (const entry of catalog.entries()) compare(entry, at);
          next = nextStateChange(catalog.entries(), at);
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
        const at = now();
        compare(entry, at);
        const itsNext = nextStateChange([entry], at);
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
        const before = readStates(file);
        for (const entry of catalog.entries())
          keep(entry.path, before.states.get(entry.path) ?? entryState(entry, before.at ?? since));
        if ([...states.keys()].some((path) => !before.states.has(path))) saved = saved.then(save);
        next = now();
        advance();
      });
      host.onClose(async () => {
        clearTimeout(timer);
        await saved;
      });
    },
  });
}

/**
 * The states of articles that were not live, and the moment until which they were followed; empty if the file cannot be read.
 */
function readStates(file: string): { readonly states: ReadonlyMap<string, ArticleState>; at?: number } {
  try {
    const states = new Map<string, ArticleState>(JSON.parse(fs.readFileSync(file, 'utf8')));
    return { states, at: fs.statSync(file).mtimeMs };
  } catch {
    return { states: new Map() };
  }
}

function isoOf(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString();
}
