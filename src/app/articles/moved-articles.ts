import { join } from 'node:path';
import { OWN_KEY } from '../../article/format/site-keys.js';
import { readFrontMatter } from '../../article/front-matter/read.js';
import type { Settings } from '../../config/load.js';
import { PressmarkError } from '../../errors.js';
import { readText } from '../../fs/read-text.js';
import { foldersOf } from '../content/folders.js';
import { listArticles } from './article-list.js';

/** An article whose page is not at the URL that was answered to the service. */
export interface MovedArticle {
  /** Below the site's folder. */
  readonly file: string;
  /** The URL that was answered. */
  readonly answered: string;
  /** The URL that the generator lists. */
  readonly url: string;
}

/**
 * The articles that do not pin the URL that was answered any more, and whose pages the generator lists at another one.
 * An older build may have left a page at the URL that was answered.
 */
export function movedArticles(settings: Settings): MovedArticle[] {
  const { contentDir } = foldersOf(settings);
  return listArticles(settings).flatMap((article): MovedArticle[] => {
    if (article.kind !== 'article' || article.address !== 'listed') return [];
    const { file, path, url } = article;
    const answered = answeredUrl(join(contentDir, path));
    return answered === undefined || answered === url ? [] : [{ file, answered, url }];
  });
}

/** One sentence on an article that has moved. */
export function movedSentence({ file, answered, url }: MovedArticle): string {
  return `the URL answered to the service is ${answered}, but the page of ${file} is at ${url}`;
}

/** What a person does about an article that has moved. */
export function movedFix({ answered }: MovedArticle, siteUrl: string): string {
  return answered.startsWith(`${siteUrl}/`)
    ? 'put the address back into the front matter (or the file’s name), as git log shows it; or, if it is to stay there, redirect the old URL to the new one on your host'
    : 'set siteUrl in the config back, if it is wrong; if the site has moved, redirect the old URL to the new one on the old host';
}

function answeredUrl(path: string): string | undefined {
  try {
    const own = readFrontMatter(readText(path).text).data[OWN_KEY];
    const url = typeof own === 'object' && own !== null && 'url' in own ? own.url : undefined;
    return typeof url === 'string' ? url : undefined;
  } catch (error) {
    if (error instanceof PressmarkError) return undefined; // doctor names files that cannot be read
    throw error;
  }
}
