import type { ArticleMapping } from '../../article/format/mapping.js';
import { defined } from '../../article/plain-data.js';
import type { Settings } from '../../config/load.js';
import type { Generator, GeneratorOptions } from '../../generators/generator.js';
import { type Layout, patternLayout } from '../../generators/layout.js';

/** The settings from which the layout of a site's articles follows; worker threads get the same. */
export interface LayoutSettings {
  readonly siteUrl: string;
  readonly articles: Pick<Settings['articles'], 'file' | 'permalink'>;
}

/**
 * Where a site's articles lie and at which URLs.
 *
 * @param timeZone the one of the dates in paths. @default UTC
 */
export function layoutOf({ siteUrl, articles }: LayoutSettings, timeZone?: string): Layout {
  return patternLayout(siteUrl, articles.file, articles.permalink, timeZone);
}

/** How the articles of a site are written for its generator. */
export function mappingOf(
  settings: Pick<Settings, 'siteUrl' | 'articles'>,
  generator: Generator,
  options: GeneratorOptions,
): ArticleMapping {
  const { siteUrl, articles } = settings;
  const { url } = layoutOf(settings, options.timeZone);
  const mapping = generator.mapping({
    ...options,
    body: articles.body,
    constants: articles.frontMatter,
    address: (slug, date) => url(slug, date).slice(siteUrl.length),
  });
  const { authors, knownAuthorsOnly, categories, keptTags, limits } = options;
  return { ...mapping, ...defined({ authors, knownAuthorsOnly, categories, keptTags, limits }) };
}
