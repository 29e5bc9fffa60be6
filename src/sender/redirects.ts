import { type MovedUrl, redirectLists } from '../article/address/redirect-lists.js';

export type { MovedUrl };

/** The files with the old and new addresses of articles: a list, and redirects for the host of the old site. */
export function redirectFiles(urls: readonly MovedUrl[]): ReturnType<typeof redirectLists> {
  return redirectLists(urls.filter(({ old, new: url }) => old !== url));
}
