/**
 * The public address of a site, without a trailing slash; undefined for what is none.
 *
 * @param url absolute, as a configuration has it.
 * @param base the path of the site below its host. @default that of the URL
 */
export function publicAddress(url: unknown, base?: unknown): string | undefined {
  if (typeof url !== 'string' || !/^https?:\/\//i.test(url) || !URL.canParse(url)) return undefined;
  const { origin, pathname } = new URL(url);
  const path = (typeof base === 'string' ? base : pathname).replace(/^(?:\.?\/)+|\/+$/g, '');
  return path === '' ? origin : `${origin}/${path}`;
}
