import type { Settings } from '../../config/load.js';
import { readBuildState } from '../../deploy/build/build-state.js';
import { readFacts } from '../../deploy/facts.js';
import type { BuildsService, LeftOutArticle } from '../../host/admin/site-services.js';
import { definePlugin, type Plugin } from '../../host/plugin.js';
import type { DeliveryRecord } from '../../host/records.js';
import type { Log } from '../../log.js';
import type { Catalog } from '../../store/catalog/catalog.js';
import { type Entry, entryState } from '../../store/catalog/entry.js';
import { contentPrefix, foldersOf } from '../content/folders.js';
import { aftermathOf } from './aftermath.js';
import { createGitService } from './git-state.js';
import { keepJournal, openJournal } from './journal.js';

export interface RecordsOptions {
  readonly settings: Settings;
  readonly log: Log;
  readonly catalog: Pick<Catalog, 'entries' | 'byId'>;
  /** What builds the site here; null where nothing does. */
  readonly by: BuildsService['by'];
  /** The names of the targets of `deploy`. */
  readonly targets: readonly string[];
}

/** Keeps what happens after deliveries, and provides it to the admin and to plugins. */
export function recordsPlugin({ settings, log, catalog, by, targets }: RecordsOptions): Plugin {
  const { stateDir } = foldersOf(settings);
  const prefix = contentPrefix(settings);
  const excluded = () => new Map(readBuildState(stateDir).excluded.map((one) => [one.path, one]));
  return definePlugin({
    name: 'records',
    receiver(host) {
      const journal = openJournal(stateDir, log);
      keepJournal(host, journal, by ?? 'pressmark');
      host.onClose(journal.close);
      host.provide('git', createGitService(settings));
      host.provide('builds', {
        by,
        targets,
        builds: () => newest('build'),
        deploys: () => newest('deploy'),
        leftOut: async () => leftOutArticles(),
        after,
        build: async () => void host.doAction('build.requested', {}),
        deploy: async () => void host.doAction('deploy.requested', {}),
      });

      async function newest<Kind extends 'build' | 'deploy'>(kind: Kind) {
        const entries = (await journal.all()).reverse();
        return entries.flatMap((entry) => (isOfKind(entry, kind) ? [entry] : []));
      }

      async function after(record: DeliveryRecord): ReturnType<BuildsService['after']> {
        const [entry] = record.id === null ? [] : catalog.byId(record.id);
        return aftermathOf(record, {
          path: entry && `${prefix}${entry.path}`,
          isBuiltHere: by !== null,
          journal: await journal.all(),
          awaited: readFacts(stateDir).awaited,
          leftOut: (entry && leftOutOf(entry, Date.now())) ?? null,
        });
      }
    },
  });

  /** Why the site does not show an article as its file is; undefined where it does. */
  function leftOutOf(entry: Entry, now: number, excludedNow = excluded()): LeftOutArticle | undefined {
    const path = `${prefix}${entry.path}`;
    const { id, url, broken, isUnsupported } = entry;
    const breaking = excludedNow.get(path);
    const { since: at = null, hasPrevious = false } = breaking ?? {};
    if (broken !== undefined)
      return isUnsupported === true
        ? undefined
        : { path, id: null, url: null, why: 'malformed', reason: broken, at, hasPrevious };
    if (breaking !== undefined)
      return { path, id, url, why: 'breaks', reason: breaking.reason, at, hasPrevious };
    const hidden = hiddenAs(entry, now);
    return hidden && { path, id, url, reason: null, hasPrevious, ...hidden };
  }

  function leftOutArticles(): LeftOutArticle[] {
    const [now, excludedNow] = [Date.now(), excluded()];
    const found: LeftOutArticle[] = [];
    for (const entry of catalog.entries()) {
      const article = leftOutOf(entry, now, excludedNow);
      if (article !== undefined) found.push(article);
    }
    return found;
  }
}

function isOfKind<E extends { readonly kind: string }, Kind extends E['kind']>(
  entry: E,
  kind: Kind,
): entry is Extract<E, { readonly kind: Kind }> {
  return entry.kind === kind;
}

/** Why an article that could be shown is not. */
function hiddenAs(entry: Entry, now: number): Pick<LeftOutArticle, 'why' | 'at'> | undefined {
  const { from, until } = entry;
  const isoOf = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());
  const state = entryState(entry, now);
  switch (state) {
    case 'held':
      return { why: state, at: null };
    case 'scheduled':
      return { why: state, at: isoOf(from) };
    case 'expired':
      return { why: state, at: isoOf(until) };
    default:
      return undefined;
  }
}
