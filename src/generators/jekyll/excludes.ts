import { isDeepStrictEqual } from 'node:util';
import type { Pair, YAMLSeq } from 'yaml';
import { yamlLibrary } from '../../article/front-matter/libraries.js';
import type { FileEdit, SiteFiles } from '../generator.js';
import type { ValueMap } from '../value.js';
import { configPath } from './config.js';

/**
 * A `_config.yml` with further entries below `exclude:`; everything else is byte for byte as it was.
 *
 * @returns undefined where the file is written in a way that cannot be added to; the owner has to do it.
 */
export function addExcludes(config: string, items: readonly string[]): string | undefined {
  const { isMap, isScalar, isSeq, parseDocument } = yamlLibrary();
  const document = parseDocument(config, { keepSourceTokens: true });
  if (document.errors.length > 0) return undefined;
  const eol = config.includes('\r\n') ? '\r\n' : '\n';
  const { contents } = document;
  if (contents !== null && (!isMap(contents) || contents.flow)) return undefined;

  const pair = contents?.items.find(({ key }) => isScalar(key) && key.value === 'exclude') as
    | Pair<unknown, unknown>
    | undefined;
  const added = result();
  return added !== undefined && isFaithful(config, added, items) ? added : undefined;

  function result(): string | undefined {
    if (pair === undefined) {
      const start = config === '' || config.endsWith('\n') ? config : `${config}${eol}`;
      return `${start}${start === '' ? '' : eol}exclude:${eol}${lines('  ')}`;
    }
    if (isSeq(pair.value)) return pair.value.flow ? inFlow(pair.value) : inBlock(pair.value);
    if (isScalar(pair.value) && pair.value.value === null && isScalar(pair.key) && pair.key.range) {
      return insertAfterLine(pair.key.range[1], lines('  '));
    }
    return undefined;
  }

  function inFlow(list: YAMLSeq): string | undefined {
    const last = list.items.at(-1);
    if (!list.range) return undefined;
    const words = items.map((item) => JSON.stringify(item)).join(', ');
    if (last === undefined) return splice(list.range[1] - 1, words);
    return isScalar(last) && last.range ? splice(last.range[1], `, ${words}`) : undefined;
  }

  function inBlock(list: YAMLSeq): string | undefined {
    const first = list.items[0];
    const last = list.items.at(-1);
    if (!isScalar(first) || !isScalar(last) || !first.range || !last.range) return undefined;
    const lineStart = config.lastIndexOf('\n', first.range[0]) + 1;
    const indent = /^ *(?=-)/.exec(config.slice(lineStart, first.range[0]))?.[0];
    return indent === undefined ? undefined : insertAfterLine(last.range[1], lines(indent));
  }

  function lines(indent: string): string {
    return items.map((item) => `${indent}- ${item}${eol}`).join('');
  }

  function insertAfterLine(from: number, text: string): string {
    // A block scalar's range already ends with its line.
    if (config[from - 1] === '\n') return splice(from, text);
    const end = config.indexOf('\n', from);
    return end === -1 ? `${config}${eol}${text}` : splice(end + 1, text);
  }

  function splice(at: number, text: string): string {
    return `${config.slice(0, at)}${text}${config.slice(at)}`;
  }
}

/** Whether an edited configuration says what the old one said, and has the further entries. */
function isFaithful(before: string, after: string, items: readonly string[]): boolean {
  const { parse } = yamlLibrary();
  try {
    const was = (parse(before) ?? {}) as Record<string, unknown>;
    const expected = { ...was, exclude: [...((was.exclude ?? []) as unknown[]), ...items] };
    return isDeepStrictEqual(parse(after), expected);
  } catch {
    return false;
  }
}

/** What the folder of a site must not publish; `init` and `npm install` put it there. */
const PRIVATE = [
  '.pressmark/',
  'pressmark.config.mjs',
  'package.json',
  'package-lock.json',
  'node_modules/',
  'vendor/*.tgz',
];

/** Jekyll 3 forgets these as soon as a site has its own `exclude:`. */
const FORGOTTEN = [
  'Gemfile',
  'Gemfile.lock',
  'vendor/bundle/',
  'vendor/cache/',
  'vendor/gems/',
  'vendor/ruby/',
];

/** What `exclude:` lacks. Files outside of the source folder are never read, so that nothing is wanted there. */
export function missingExcludes(files: SiteFiles, major: number): readonly string[] {
  const own = ownExcludes(files);
  const present = (own ?? []).map((item) => item.replace(/^\.?\/|\/$/g, ''));
  const isKept = major >= 4;
  const known = new Set([...present, ...(isKept || own === undefined ? ['node_modules'] : [])]);
  const wanted = [...PRIVATE, ...(hasOwnPlugins(files) ? [] : ['plugins/'])];
  const isExcluded = (item: string) =>
    known.has(item.replace(/\/$/, '')) || known.has(item.replace(/\/.*$/, ''));
  const missing = wanted.filter((item) => !isExcluded(item));
  if (missing.length === 0 || isKept || own !== undefined) return missing;
  return [...missing, 'node_modules/', ...FORGOTTEN];
}

/** The entries of `exclude:` in the file; undefined where it has none. */
function ownExcludes(files: SiteFiles): readonly string[] | undefined {
  const text = files.read(configPath(files) ?? '_config.yml') ?? '';
  if (/^exclude\s*=/m.test(text)) return [...text.matchAll(/["']([^"']+)["']/g)].map(([, item = '']) => item);
  const { contents } = yamlLibrary().parseDocument(text);
  const value = yamlLibrary().isMap(contents) ? (contents.toJSON() as ValueMap).exclude : undefined;
  if (typeof value === 'string') return value.split(/\s+/);
  return Array.isArray(value) ? value.map(String) : value === undefined ? undefined : [];
}

/** Whether `plugins/` holds something else than Pressmark's plugins, which are JavaScript. */
function hasOwnPlugins(files: SiteFiles): boolean {
  return files.list('plugins').some((name) => !/\.[cm]?[jt]s$/.test(name));
}

/** The edit of the configuration that adds what `exclude:` lacks; undefined where it lacks nothing or cannot be edited. */
export function excludeEdit(files: SiteFiles, major: number): FileEdit | undefined {
  const path = configPath(files) ?? '_config.yml';
  const missing = missingExcludes(files, major);
  if (missing.length === 0 || path.endsWith('.toml')) return undefined;
  const text = addExcludes(files.read(path) ?? '', missing);
  const reason = `exclude: keeps Pressmark's files out of the site and out of the watcher of jekyll serve: ${missing.join(', ')}`;
  return text === undefined ? undefined : { path, text, reason };
}
