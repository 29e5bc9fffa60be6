import type { AdminAdditions } from './additions.js';
import type { PluginReport } from './plugin-report.js';
import type { OptionFault, SettingField } from './settings-form.js';

/** The options of a plugin, as the admin shows them. */
export interface PluginSettings {
  readonly plugin: string;
  /** The fields of a form; undefined if the schema does not say which options there are. */
  readonly fields: readonly SettingField[] | undefined;
  /** The options that the config sets, which only the config can change; their values as JSON. */
  readonly configured: Readonly<Record<string, string>>;
  /** Those that the settings file sets. */
  readonly kept: Readonly<Record<string, unknown>>;
  /** All of them, as JSON. */
  readonly text: string;
  /** Identifies this version of the settings file, and of the fields; see `save`. */
  readonly base: string;
  /** Whether the file has changed since the receiver was started. */
  readonly needsRestart: boolean;
}

/** The result of saving settings. */
export type SavedSettings =
  | { readonly kind: 'saved'; readonly commit: SettingsCommit }
  /** The settings or their fields have changed since; nothing was written. */
  | { readonly kind: 'conflict'; readonly now: PluginSettings }
  | { readonly kind: 'wrong'; readonly faults: readonly OptionFault[] };

/** Whether a change of the settings file was committed. */
export type SettingsCommit =
  | { readonly kind: 'committed'; readonly commit: string }
  /** The site is not in git, or must not be committed. */
  | { readonly kind: 'none' }
  /** The owner has to commit it. */
  | { readonly kind: 'failed'; readonly reason: string };

/** The author of a change of settings. */
export interface SettingsAuthor {
  readonly name: string;
  readonly email?: string;
}

/** The site's own plugins, for the admin: `host.use('plugins')`. */
export interface PluginsService {
  /** What plugins add to the admin. */
  readonly additions: AdminAdditions;
  /** What they have registered, and how their calls went. */
  list(): readonly PluginReport[];
  /**
   * Runs a job again now, for an event that is waiting for its next attempt or was given up.
   *
   * @throws PressmarkError USAGE if there is nothing to run.
   */
  runAgain(job: string, key: string): Promise<void>;
  /** The settings of a plugin; undefined if there is no such plugin, or it takes no options. */
  settings(plugin: string): Promise<PluginSettings | undefined>;
  /**
   * Checks a plugin's settings, together with the options of the config, by the plugin's schema, writes them to the settings
   * file and commits it. They apply at the receiver's next start.
   *
   * @param base `PluginSettings.base` of the settings that were shown.
   * @throws PressmarkError USAGE if there is no such plugin; CONFIG_INVALID if the file is damaged.
   */
  save(
    plugin: string,
    values: Readonly<Record<string, unknown>>,
    base: string,
    by: SettingsAuthor,
  ): Promise<SavedSettings>;
}
