import { createRequire } from 'node:module';
import type jsYaml from 'js-yaml';
import type toml from 'smol-toml';
import type yaml from 'yaml';

// All are large: commands that need none would wait for them at their start.
const require = createRequire(import.meta.url);

/** The YAML library that only reads, loaded when it is first needed. */
export const readingYaml = (): typeof jsYaml => require('js-yaml');

/** The YAML library that keeps comments and order, loaded when it is first needed. */
export const yamlLibrary = (): typeof yaml => require('yaml');

/** The TOML library, loaded when it is first needed. */
export const tomlLibrary = (): typeof toml => require('smol-toml');
