import { createRequire } from 'node:module';
import type grayMatter from 'gray-matter';
import type jsYaml from 'js-yaml';
import type toml from 'smol-toml';
import type yaml from 'yaml';

// Loaded lazily: all are large, and many commands need none.
const require = createRequire(import.meta.url);

/** The library that finds front matter. */
export const frontMatterLibrary = (): typeof grayMatter => require('gray-matter');

/** The YAML library that only reads. */
export const readingYaml = (): typeof jsYaml => require('js-yaml');

/** The YAML library that keeps comments and order. */
export const yamlLibrary = (): typeof yaml => require('yaml');

/** The TOML library. */
export const tomlLibrary = (): typeof toml => require('smol-toml');
