import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

// Resolved by name, as this module's depth in the package depends on the build.
const manifestPath = createRequire(import.meta.url).resolve('pressmark/package.json');

/** The folder of this package. */
export const PACKAGE_FOLDER = dirname(manifestPath);

/** The version of this package. */
export const { version: PACKAGE_VERSION }: { version: string } = JSON.parse(
  readFileSync(join(PACKAGE_FOLDER, 'package.json'), 'utf8'),
);
