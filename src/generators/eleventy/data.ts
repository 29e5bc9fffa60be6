import { readFrontMatter } from '../../article/front-matter/read.js';
import { PressmarkError } from '../../errors.js';
import type { SiteFiles } from '../generator.js';
import { joined } from '../own-modules.js';
import { isMap } from '../value.js';
import { type Site, urlOf } from './config.js';
import { type Literals, literalsOf } from './js-literals.js';

const DATA_NAMES = ['metadata', 'site', 'meta', 'config', 'settings'];

/** A text of the site's global data, such as `url` of `_data/metadata.js`; an outer key before one of a nested object. */
export function siteData(site: Site, keys: readonly string[]): string | undefined {
  for (const name of DATA_NAMES) {
    for (const extension of ['js', 'mjs', 'cjs', 'json', '11tydata.js', 'yaml', 'yml']) {
      const data = readData(site.files, joined(site.data, `${name}.${extension}`));
      const found = (data?.properties ?? [])
        .filter(
          ({ path, value }) =>
            typeof value === 'string' &&
            value !== '' &&
            keys.includes(path.at(-1) ?? '') &&
            !path.includes('author'), // who has a site of their own
        )
        .sort(
          (one, other) =>
            one.path.length - other.path.length ||
            keys.indexOf(one.path.at(-1) ?? '') - keys.indexOf(other.path.at(-1) ?? ''),
        );
      if (found[0] !== undefined) return String(found[0].value);
    }
  }
  return undefined;
}

function readData(files: SiteFiles, path: string): (Literals & { readonly source: string }) | undefined {
  const source = files.read(path);
  if (source === undefined) return undefined;
  if (!/\.ya?ml$/.test(path)) return { ...literalsOf(source), source };
  return { properties: flattened(frontMatter(`---\n${source}\n---\n`), []), calls: [], source };
}

function flattened(
  value: unknown,
  path: readonly string[],
): { path: readonly string[]; value: string | number | boolean }[] {
  if (Array.isArray(value)) return value.flatMap((one) => flattened(one, path));
  if (isMap(value)) return Object.entries(value).flatMap(([key, one]) => flattened(one, [...path, key]));
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? [{ path, value }]
    : [];
}

/** The data files of a folder and of those above it, the nearest first. */
export function directoryData(
  site: Site,
  folder: string,
): readonly (Literals & { readonly source: string; readonly path: string })[] {
  const found: (Literals & { readonly source: string; readonly path: string })[] = [];
  for (let at = folder; ; at = at.split('/').slice(0, -1).join('/')) {
    const base = at.split('/').at(-1) ?? '';
    for (const extension of [
      '11tydata.js',
      '11tydata.mjs',
      '11tydata.cjs',
      '11tydata.ts',
      '11tydata.json',
      'json',
      'yaml',
      'yml',
    ]) {
      const path = joined(at, `${base}.${extension}`);
      const data = base === '' ? undefined : readData(site.files, path);
      if (data !== undefined) found.push({ ...data, path });
    }
    if (at === site.input || at === '') return found;
  }
}

/** Front matter in any form; empty where there is none or where it cannot be read. */
export function frontMatter(source: string): Readonly<Record<string, unknown>> {
  try {
    return readFrontMatter(source).data;
  } catch (error) {
    if (error instanceof PressmarkError) return {};
    throw error;
  }
}

/** The public URL that the site's data names. */
export function publicUrl(site: Site): URL | undefined {
  const keys = ['url', 'siteUrl', 'siteURL', 'site_url', 'baseUrl', 'baseURL', 'base_url', 'domain'];
  return publicUrlOf(siteData(site, keys));
}

/** A public URL; undefined where a value is none. */
export function publicUrlOf(value: unknown): URL | undefined {
  if (typeof value !== 'string') return undefined;
  const url = urlOf(/^[\w.-]+\.[a-z]+\/?$/i.test(value) ? `https://${value}` : value);
  const isPublic =
    url !== null && /^https?:$/.test(url.protocol) && !['localhost', 'github.com'].includes(url.hostname);
  return isPublic ? url : undefined;
}

/** Whether a template for sites has this address, which its owner has left as it is. */
export function isTemplateAddress({ hostname }: URL): boolean {
  return /(?:^|\.)example\.(?:com|org|net)$/.test(hostname);
}
