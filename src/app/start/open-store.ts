import fs from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../../config/load.js';
import type { FileChange } from '../../host/hooks/hook-types.js';
import { createHooks, type Hooks } from '../../host/hooks/hooks.js';
import { createJobs, type Jobs } from '../../host/jobs/jobs.js';
import { JOBS } from '../../host/jobs/notes.js';
import type { Log } from '../../log.js';
import type { ContentFolder } from '../../store/catalog/content-folder.js';
import type { Entry } from '../../store/catalog/entry.js';
import type { ContentChange } from '../../store/catalog/scan.js';
import { snapshotOf } from '../../store/catalog/snapshot.js';
import { type OpenStore, warnOfBroken } from '../../store/open-articles.js';
import type { AdapterLimits } from '../../webhook/http/adapter.js';
import { addressChange, isElsewhere, refuseArticlesElsewhere } from '../articles/stored-urls.js';
import { type CodecInThread, createCodecInThread } from '../content/article-codec.js';
import { contentOf } from '../content/content.js';
import { contentPrefix, foldersOf } from '../content/folders.js';
import { type DurableStore, openDurableStore } from '../durable-store.js';

/** The parameters of each part of the start. */
export interface Starting {
  readonly settings: Settings;
  readonly log: Log;
  /** See `StartOptions`. */
  readonly terminal: boolean;
  readonly preview: boolean;
  readonly live: boolean;
  readonly adapterLimits: AdapterLimits | undefined;
  /** Registers a function that closes a part; the last one runs first. */
  onClose(close: () => unknown): void;
}

/** The store of a receiver, with hooks and jobs. */
export interface ReceiverStore {
  readonly content: ContentFolder;
  /** See `contentPrefix`. */
  readonly prefix: string;
  /** The thread that reads and writes the texts of articles. */
  readonly thread: CodecInThread;
  readonly durable: DurableStore;
  readonly hooks: Hooks;
  readonly jobs: Jobs;
  /** When the last receiver saved the catalog, in ms since 1970; 0 if none has. */
  readonly savedAt: number;
}

/**
 * Recovers the store, and watches it for other people's changes.
 *
 * @throws PressmarkError what `openDurableStore` throws; CONFIG_INVALID if articles are at another address than the site.
 */
export async function openStore({ settings, log, terminal, onClose }: Starting): Promise<ReceiverStore> {
  const { stateDir } = foldersOf(settings);
  const thread = createCodecInThread(settings);
  onClose(thread.close);
  const content = { ...contentOf(settings), codec: thread.codec };
  const prefix = contentPrefix(settings);
  const jobs = createJobs({ folder: join(stateDir, JOBS), log });
  const hooks = createHooks(log, { note: jobs.noteAction });
  const onChange = (changes: readonly ContentChange[]) => {
    for (const change of changes) void reportChange(hooks, change, prefix);
  };
  const savedAt = fs.statSync(snapshotOf(stateDir, content).path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const durable = await openDurableStore({ settings, content, log, hooks, onChange });
  onClose(durable.close);
  report(durable, log, terminal);
  await refuseOtherAddress(settings, [...durable.catalog.entries()]);
  return { content, prefix, thread, durable, hooks, jobs, savedAt };
}

/** How many files are read to see whether the base path has changed, instead of all at each start. */
const FEW = 20;

async function refuseOtherAddress(settings: Settings, entries: readonly Entry[]): Promise<void> {
  const delivered = entries.filter(({ id, path, broken }) => broken === undefined && id !== path);
  const isAway =
    delivered.some(({ url }) => isElsewhere({ url, address: undefined }, settings.siteUrl)) ||
    (await addressChange(settings, contentOf(settings), delivered.slice(0, FEW))) !== undefined;
  if (isAway) await refuseArticlesElsewhere(settings, entries);
}

/** Logs the counts, except on a terminal, where the start prints its own lines. */
function report({ recovery }: OpenStore, log: Log, terminal: boolean): void {
  const { malformed, ...counts } = recovery;
  log[terminal ? 'debug' : 'info'](counts, 'recovered');
  for (const { path, reason } of malformed) warnOfBroken(log, path, reason);
}

/** Runs the actions for a change by a person, `git pull` or another receiver, once the plugins are set up. */
async function reportChange(
  hooks: Hooks,
  { path, before, after }: ContentChange,
  prefix: string,
): Promise<void> {
  const entry = after ?? before;
  if (!hooks.isSealed() || entry === undefined) return;
  const change: FileChange = { path: `${prefix}${path}`, id: entry.id, url: entry.url };
  const what = before === undefined ? 'article.created' : 'article.edited';
  await hooks.doAction(after === undefined ? 'article.removed' : what, change);
}
