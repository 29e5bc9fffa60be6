import fs from 'node:fs';
import type { Settings } from '../../config/load.js';
import { isCheckedSinceBoot } from '../../site/write/boot.js';
import { manifestPath, openManifest } from '../../site/write/manifest.js';
import { damagedFiles } from '../../site/write/ownership.js';
import { foldersOf } from '../content/folders.js';
import { type Finding, listed } from './finding.js';

const about = 'pages';

/** Whether the built pages are as they were written; only those of which a power loss may have left something else. */
export function pageFindings(settings: Settings): Finding[] {
  const { outputDir, stateDir } = foldersOf(settings);
  if (settings.site === false || !fs.existsSync(manifestPath({ stateDir }))) return [];
  const found = damage(outputDir, stateDir);
  // A receiver that is running may have been about to write what was found first.
  const again = found.length === 0 ? new Set() : new Set(damage(outputDir, stateDir));
  const lasting = found.filter((file) => again.has(file));
  if (lasting.length === 0) return [{ level: 'ok', about, text: 'unchanged since they were built' }];
  return [
    {
      level: 'warn',
      about,
      text: `${lasting.length} in ${settings.output}/ have changed since they were built, as after a power loss: ${listed(lasting)}`,
      fix: 'run pressmark build, or start the receiver: both build them again',
    },
  ];
}

/** The files that are damaged or missing, below the output folder. */
function damage(outputDir: string, stateDir: string): string[] {
  if (isCheckedSinceBoot({ stateDir })) return [];
  const manifest = openManifest(manifestPath({ stateDir }), outputDir);
  manifest.refresh();
  return [...damagedFiles(outputDir, manifest)].map(({ file }) => file);
}
