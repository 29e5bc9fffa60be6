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
import { keepJournal, ofKind, openJournal } from './journal.js';

export interface RecordsOptions {
  readonly settings: Settings;
  readonly log: Log;
  readonly catalog: Pick<Catalog, 'entries' | 'byId'>;
  /** Who builds the site here; null if nobody does. */
  readonly by: BuildsService['by'];
  /** The names of the targets of `deploy`. */
  readonly targets: readonly string[];
}

/** Keeps the steps after deliveries, and provides them to the admin and to plugins. */
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
        return ofKind(journal.all(), kind).reverse();
      }

      async function after(record: DeliveryRecord): ReturnType<BuildsService['after']> {
        const [entry] = record.id === null ? [] : catalog.byId(record.id);
        return aftermathOf(record, {
          path: entry && `${prefix}${entry.path}`,
          isBuiltHere: by !== null,
          journal: journal.all(),
          awaited: readFacts(stateDir).awaited,
          leftOut: (entry && leftOutOf(entry, Date.now())) ?? null,
        });
      }
    },
  });

  /** Why the site does not show an article, or not its present text; undefined if it does. */
  function leftOutOf(entry: Entry, now: number, excludedNow = excluded()): LeftOutArticle | undefined {
    const path = `${prefix}${entry.path}`;
    const { id, url, from, until, broken, isUnsupported } = entry;
    const breaking = excludedNow.get(path);
    const { since: at = null, hasPrevious = false } = breaking ?? {};
    const left = { path, id, url, reason: null, at, hasPrevious };
    if (broken !== undefined)
      return isUnsupported === true
        ? undefined
        : { ...left, id: null, url: null, why: 'malformed', reason: broken };
    if (breaking !== undefined) return { ...left, why: 'breaks', reason: breaking.reason };
    const state = entryState(entry, now);
    if (state !== 'held' && state !== 'scheduled' && state !== 'expired') return undefined;
    const moment = { held: undefined, scheduled: from, expired: until }[state];
    return { ...left, why: state, at: moment === undefined ? null : new Date(moment).toISOString() };
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
