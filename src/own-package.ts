import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

// By its name: how deep below it this module lies depends on how the package was put together.
const manifestPath = createRequire(import.meta.url).resolve('pressmark/package.json');

/** The folder of this package. */
export const PACKAGE_FOLDER = dirname(manifestPath);

/** The version of this package. */
export const { version: PACKAGE_VERSION }: { version: string } = JSON.parse(
  readFileSync(join(PACKAGE_FOLDER, 'package.json'), 'utf8'),
);
