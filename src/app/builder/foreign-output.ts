import fs from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../../config/load.js';
import { PressmarkError, quote } from '../../errors.js';
import { manifestPath } from '../../site/write/manifest.js';
import { contentOf, isMarked } from '../../site/write/ownership.js';
import { foldersOf } from '../content/folders.js';

const HOME = 'index.html';

/**
 * Refuses to build into the output of another program: a home page that Pressmark did not write stands in a folder that
 * Pressmark has never written to.
 *
 * @throws PressmarkError CONFIG_INVALID.
 */
export function refuseForeignOutput(settings: Settings): void {
  if (settings.site === false) return;
  const { outputDir, stateDir } = foldersOf(settings);
  if (fs.existsSync(manifestPath({ stateDir }))) return;
  const home = contentOf(join(outputDir, HOME));
  if (home === undefined || isMarked(HOME, home)) return;
  throw new PressmarkError(
    'CONFIG_INVALID',
    `output ${quote(settings.output)} has an ${HOME} that Pressmark did not write: it may be the output of another program; set output in the config to another folder, or move that file away`,
  );
}
