import { escapeUTF8 } from 'entities';
import type { SiteInfo } from '../../host/pages/page-types.js';
import { openTrash, type Trash } from '../../store/trash.js';
import { fileOf } from '../index/addresses.js';
import type { SiteOptions } from '../options.js';
import { cacheKey, type Planner } from './planner.js';

/** The former page of an article in the trash, and the address that it redirects to. */
interface Redirect {
  /** The file of its page, below the output folder. */
  readonly file: string;
  readonly to: string;
}

/**
 * Plans pages that redirect from the URLs of articles in the trash. An article without a redirect has no file, so that static
 * hosts answer 404.
 */
export function redirectPages({ site, stateDir }: Pick<SiteOptions, 'site' | 'stateDir'>): Planner {
  const trash = openTrash(stateDir);
  return ({ index, renderer }) =>
    redirectsIn(trash, site)
      .filter(({ file }) => index.at(file) === undefined)
      .map((one) => ({
        path: one.file,
        key: cacheKey(renderer.key, one.to),
        render: () => pageOf(one, site),
      }));
}

/** Makes the redirect pages for the output of another generator. @returns the pages by their files below the output folder. */
export function redirectPagesOf(site: SiteInfo, stateDir: string): ReadonlyMap<string, string> {
  const redirects = redirectsIn(openTrash(stateDir), site);
  return new Map(redirects.map((one) => [one.file, pageOf(one, site)]));
}

function redirectsIn(trash: Trash, site: SiteInfo): Redirect[] {
  return trash.list().flatMap(({ url, redirect }) => {
    const file = fileOf(url, site);
    return redirect === null || file === undefined ? [] : [{ file, to: redirect }];
  });
}

/** Makes a page that redirects browsers and search engines. */
function pageOf({ to }: Redirect, { language }: SiteInfo): string {
  const address = escapeUTF8(new URL(to).href);
  return `<!doctype html>
<html lang="${language}">
<meta charset="utf-8">
<title>${address}</title>
<meta name="generator" content="Pressmark">
<meta name="robots" content="noindex">
<link rel="canonical" href="${address}">
<meta http-equiv="refresh" content="0; url=${address}">
<p><a href="${address}">${address}</a></p>
</html>
`;
}
