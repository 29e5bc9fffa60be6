import { join } from 'node:path';
import type { Settings } from '../config/load.js';
import type { Log } from '../log.js';
import { rereadSettings } from './changed-settings.js';
import { foldersOf } from './folders.js';
import { themeOf } from './theme.js';
import { watchSources } from './watch-sources.js';

export interface FollowOptions {
  readonly settings: Settings;
  /** Reads the settings again; undefined where a change of them waits for the next start. */
  readonly reload: (() => Promise<Settings>) | undefined;
  readonly log: Log;
}

/**
 * Follows what a person changes in templates and settings while the service runs.
 *
 * @param on.onTheme called after a template or a style sheet has changed.
 * @param on.onSettings called with the settings to go on with after they have changed in what can change now.
 * @returns what ends the following.
 */
export function followSettings(
  { settings, reload, log }: FollowOptions,
  on: { onTheme(): void; onSettings(settings: Settings): void },
): () => Promise<void> {
  let current = settings;
  let queue = Promise.resolve(); // one after the other: an older reading must not win
  async function reread(load: () => Promise<Settings>): Promise<void> {
    const before = current;
    current = await rereadSettings(before, load, log);
    if (current !== before) on.onSettings(current);
  }
  const onConfig = () => {
    if (reload !== undefined) queue = queue.then(() => reread(reload));
  };
  const { templatesDir, contentDir } = foldersOf(settings);
  const ofOwner = ['pages', 'tags', 'authors'].map((name) => join(contentDir, name));
  const folders = [templatesDir, ...ofOwner, ...themeOf(settings).dirs];
  return watchSources({ dir: settings.dir, folders }, { onTheme: on.onTheme, onConfig }, log);
}
