import type { KeyNames } from '../../article/mapping.js';
import type { GeneratorOptions, SiteFiles } from '../generator.js';
import type { SchemaKey } from './collections.js';
import { NAMES, type Site } from './config.js';
import { objectSource, resolved } from './js-objects.js';
import { below, postsOf } from './posts.js';

/** The options of the mapping that the configuration decides. */
export function optionsOf(files: SiteFiles, site: Site): GeneratorOptions {
  return {
    ...fieldsOf(files, site),
    htmlFiles: site.collection?.readsHtml ?? false,
    fetchesImages: fetchesImages(site),
  };
}

/** The names and types that the schema, or else the site's own posts, give to the fields. */
function fieldsOf(files: SiteFiles, site: Site): Pick<GeneratorOptions, 'keys' | 'dates'> {
  const keys = site.collection?.schema?.keys;
  if (keys === undefined) {
    const used = new Set(postsOf(files, site).flatMap((data) => Object.keys(data)));
    if (used.size === 0) return {};
    const first = (field: Exclude<keyof KeyNames, 'author'>) => NAMES[field].find((name) => used.has(name));
    return {
      keys: {
        title: first('title') ?? 'title',
        description: first('description') ?? null,
        date: first('date') ?? 'pubDate',
        updated: first('updated') ?? null,
        tags: first('tags') ?? null,
        image: null,
      },
    };
  }
  const find = (field: Exclude<keyof KeyNames, 'author'>, kinds: readonly SchemaKey['kind'][]) =>
    NAMES[field]
      .map((name) => keys.find((key) => key.name === name && kinds.includes(key.kind)))
      .find((key) => key !== undefined);
  const dateKinds = ['date', 'strict-date', 'string', 'day', 'other'] as const;
  // A schema that demands one date under a name of its own demands the publication's.
  const dates = keys.filter(
    ({ kind, isRequired }) => isRequired && (kind === 'date' || kind === 'strict-date'),
  );
  const date = find('date', dateKinds) ?? (dates.length === 1 ? dates[0] : undefined);
  const kind = date?.kind;
  const image = find('image', ['string', 'url', 'image'])?.name;
  return {
    keys: {
      title: find('title', ['string', 'other'])?.name ?? 'title',
      description: find('description', ['string', 'other'])?.name ?? null,
      date: date?.name ?? 'pubDate',
      updated: find('updated', dateKinds)?.name ?? null,
      tags: find('tags', ['list'])?.name ?? null,
      image: image === undefined || makesPictures(files, site, image) ? null : image,
    },
    ...(kind === 'string' ? { dates: 'string' } : {}),
  };
}

/** Whether `image.domains` or `image.remotePatterns` let Astro fetch pictures. */
function fetchesImages(site: Site): boolean {
  const image = objectSource(resolved(site.config.get('image'), site.configText));
  return ['domains', 'remotePatterns'].some((name) => !/^\[\s*\]$/.test(image.get(name) ?? '[]'));
}

/**
 * Whether a component makes pictures of this key's value in a way that a remote one breaks the build: Astro cannot
 * measure it without fetching it, and cannot always fetch it.
 */
function makesPictures(files: SiteFiles, site: Site, key: string): boolean {
  const use = new RegExp(
    `<(?:Image|Picture)\\b(?:(?!/>)[\\s\\S])*\\b${key}\\b[\\s\\S]*?/>|\\bgetImage\\s*\\([^)]*\\b${key}\\b`,
    'g',
  );
  return below(files, site.srcDir, 4)
    .filter((path) => path.endsWith('.astro'))
    .flatMap((path) => [...(files.read(path) ?? '').matchAll(use)])
    .some(([element]) => fetchesImages(site) || !/\swidth=/.test(element) || !/\sheight=/.test(element));
}
