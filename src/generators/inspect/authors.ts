import { readingYaml, tomlLibrary } from '../../article/front-matter/libraries.js';
import { readFrontMatter } from '../../article/front-matter/read.js';
import { mapOf, type ValueMap } from '../../article/plain-data.js';
import type { SiteFiles } from '../generator.js';

/** The usual keys for an author's name, and for the key by which posts refer to an author in a list. */
const NAME_KEYS = ['name', 'display_name', 'displayName', 'title', 'full_name', 'fullName'];
const ID_KEYS = ['id', 'slug', 'key', 'username', 'short_name', 'handle'];

/**
 * The keys of the authors in a site's data, by name. The data are a map of keys, or a list.
 *
 * @param data such as the content of `_data/authors.yml`.
 */
export function authorsIn(data: unknown): Record<string, string> {
  const entries: [id: unknown, author: unknown][] = Array.isArray(data)
    ? data.map((author) => [textAt(mapOf(author), ID_KEYS), author])
    : Object.entries(mapOf(data));
  return Object.fromEntries(
    entries.flatMap(([id, author]) => {
      const name = typeof author === 'string' ? author : textAt(mapOf(author), NAME_KEYS);
      return typeof id === 'string' && id !== '' && name !== undefined ? [[name, id]] : [];
    }),
  );
}

function textAt(map: ValueMap, keys: readonly string[]): string | undefined {
  return keys.map((key) => map[key]).find((value) => typeof value === 'string' && value !== '') as
    | string
    | undefined;
}

const DATA_FILE = /\.(ya?ml|json|toml|md)$/;

/**
 * The authors in files of a site: one file with all authors, or one file per author, named by the author's key.
 *
 * @param places files without their extensions, and folders, such as `data/authors`.
 */
export function authorsInFiles(files: SiteFiles, places: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const place of places) {
    for (const extension of ['yaml', 'yml', 'json', 'toml'])
      Object.assign(found, authorsIn(dataOf(files, `${place}.${extension}`)));
    for (const name of files.list(place)) {
      const path = name.endsWith('/') ? `${name}_index.md` : name;
      const id = name.replace(/\/$/, '').replace(DATA_FILE, '');
      if (DATA_FILE.test(path) && id !== '_index')
        Object.assign(found, authorsIn({ [id]: dataOf(files, `${place}/${path}`) }));
    }
  }
  return found;
}

/** The data in a data file, or the front matter of a text; an empty map if the file is missing or malformed. */
function dataOf(files: SiteFiles, path: string): unknown {
  const text = files.read(path);
  if (text === undefined) return {};
  try {
    if (path.endsWith('.md')) return readFrontMatter(text).data;
    // JSON is valid YAML.
    return path.endsWith('.toml') ? tomlLibrary().parse(text) : readingYaml().load(text);
  } catch {
    return {}; // the site's own build reports the fault
  }
}
