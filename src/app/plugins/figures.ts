import fs from 'node:fs';
import { join } from 'node:path';
import { messageOf, systemCode } from '../../errors.js';
import { writeAtomically } from '../../fs/atomic-write.js';
import type { ReceiverReport } from '../../host/admin/plugin-report.js';
import type { Face } from '../../host/hooks/hook-types.js';
import type { HookReport } from '../../host/hooks/hooks.js';
import type { Host } from '../../host/host.js';
import type { PluginEntry } from '../../host/plugin.js';
import type { Log } from '../../log.js';

/** How often a face's hooks and jobs ran, and how long they took. */
type Figures = Pick<ReceiverReport, 'hooks' | 'jobs'>;

const NOTE_EVERY_MS = 5_000;

const fileOf = (stateDir: string, face: Face) => join(stateDir, `plugins-${face}.json`);

/**
 * Saves the figures of the site's own plugins, for `pressmark plugins` and the admin. They are informational.
 *
 * @param plugins all plugins of the host.
 * @returns a function that saves them for the last time.
 */
export function noteFigures(
  stateDir: string,
  face: Face,
  host: Pick<Host, 'report'>,
  plugins: readonly PluginEntry[],
  log: Log,
): () => Promise<void> {
  const own = new Set(plugins.filter((one) => one.isFirstParty !== true).map(({ plugin }) => plugin.name));
  if (own.size === 0) return async () => undefined;
  const path = fileOf(stateDir, face);
  let noted = '';
  const note = async () => {
    const { hooks, jobs } = host.report();
    const figures: Figures = { hooks: hooks.filter(({ plugin }) => own.has(plugin)), jobs };
    const text = JSON.stringify(figures);
    if (text === noted) return;
    noted = text;
    try {
      await writeAtomically(path, text);
    } catch (error) {
      log.debug({ reason: messageOf(error) }, `${path} cannot be written`);
    }
  };
  const timer = setInterval(() => void note(), NOTE_EVERY_MS).unref();
  return async () => {
    clearInterval(timer);
    await note();
  };
}

/** Reads the last saved figures. */
export function readFigures(stateDir: string, face: Face): Figures {
  try {
    return JSON.parse(fs.readFileSync(fileOf(stateDir, face), 'utf8')) as Figures;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return { hooks: [], jobs: [] };
    throw error;
  }
}

/** Adds saved figures to hooks that did not run here. Several handlers of a plugin on one hook keep their order. */
export function withFigures(
  hooks: readonly HookReport[],
  figures: readonly HookReport[],
): readonly HookReport[] {
  const left = [...figures];
  return hooks.map((hook) => {
    const at = left.findIndex(
      ({ plugin, kind, name }) => plugin === hook.plugin && kind === hook.kind && name === hook.name,
    );
    return (at === -1 ? undefined : left.splice(at, 1)[0]) ?? hook;
  });
}
