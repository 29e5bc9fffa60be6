import type { FileEdit, SiteFiles } from '../generator.js';
import type { Collection } from './collections.js';
import type { Site } from './config.js';

/** The line that lets a strict schema accept Pressmark's key. */
export function strictEdit(files: SiteFiles, site: Site): FileEdit | undefined {
  const { collection } = site;
  const text = collection === undefined ? undefined : files.read(collection.configFile);
  if (collection?.schema === undefined || text === undefined || !refusesOurKey(collection)) return undefined;
  const at = collection.schema.insertAt;
  const indent = /^[^\S\n]*\n([^\S\n]*)/.exec(text.slice(at))?.[1];
  const line = 'pressmark: z.unknown().optional(),';
  return {
    path: collection.configFile,
    text: `${text.slice(0, at)}${indent === undefined ? ` ${line}` : `\n${indent}${line}`}${text.slice(at)}`,
    reason: `the schema of ${collection.name} refuses keys that it does not name, and each article has a key pressmark`,
  };
}

export const refusesOurKey = ({ schema }: Collection): boolean =>
  schema?.isStrict === true && !schema.keys.some(({ name }) => name === 'pressmark');
