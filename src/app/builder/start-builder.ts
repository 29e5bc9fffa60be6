import { Worker } from 'node:worker_threads';
import type { Settings } from '../../config/load.js';
import type { Log } from '../../log.js';
import { createSearch, type Search, type SearchOptions } from '../../site/search.js';
import { foldersOf } from '../content/folders.js';
import type { BuilderSettings } from './site-builder.js';

// What the main thread starts for the site. It does not load the builder or the theme.

/** Starts the thread that builds pages, `builder-thread.ts`. @param terminal whether a person reads its log on a terminal. */
export function startBuilder(settings: Settings, terminal: boolean): Worker {
  const { plugins, secrets, environment, deployHook, gitToken, statusToken, ...serializable } = settings;
  const workerData = { settings: serializable satisfies BuilderSettings, terminal };
  return new Worker(new URL('./builder-thread.js', import.meta.url), { workerData });
}

/** The search index of the site. @param pages the pages of articles, newest first. */
export function searchOf(
  settings: Settings,
  { search }: Pick<Exclude<Settings['site'], false>, 'search'>,
  pages: SearchOptions['pages'],
  log: Log,
  onWritten?: () => void,
): Search {
  const { outputDir, stateDir } = foldersOf(settings);
  const ofSite = log.child({ plugin: 'site' });
  return createSearch({
    outputDir,
    stateDir,
    siteUrl: settings.siteUrl,
    settings: search,
    pages,
    log: ofSite,
    ...(onWritten !== undefined && { onWritten }),
  });
}
