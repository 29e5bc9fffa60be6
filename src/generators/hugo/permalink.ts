import type { ValueMap } from '../value.js';
import { type SiteShape, textAt, valueAt } from './config.js';

/** Hugo's permalink tokens in terms of Pressmark's. */
const TOKENS: Readonly<Record<string, string>> = {
  year: ':year',
  month: ':month',
  day: ':day',
  slug: ':slug',
  title: ':slug',
  filename: ':slug',
  slugorfilename: ':slug',
  contentbasename: ':slug',
  slugorcontentbasename: ':slug',
};

/** What comes nearest to tokens that Pressmark does not have. */
const NEAREST: Readonly<Record<string, string>> = { monthname: ':month', yearday: ':month/:day' };

/** The address of new articles in the manner of the section's own posts, and the tokens that had no equivalent. */
export function addressPattern(
  values: ValueMap,
  shape: SiteShape,
  section: string,
  below: readonly string[],
): { readonly pattern: string; readonly unknown: readonly string[] } {
  const rule =
    textAt(values, 'languages', shape.language, 'permalinks', section) ??
    textAt(values, 'languages', shape.language, 'permalinks', 'page', section) ??
    textAt(values, 'permalinks', 'page', section.toLowerCase()) ??
    textAt(values, 'permalinks', section.toLowerCase()) ??
    ['', ...below, ':slug', ''].join('/');
  const unknown: string[] = [];
  const filled = rule.replace(
    /:([a-z]+)(\[[^\]]*\])?/gi,
    (token, word: string, slice: string | undefined) => {
      const name = word.toLowerCase();
      if (name === 'section' || name === 'sections') return section;
      const known = slice === undefined ? TOKENS[name] : undefined;
      if (known === undefined) unknown.push(token);
      return known ?? NEAREST[name] ?? '';
    },
  );
  const path = `/${filled}`.replace(/\/{2,}/g, '/').replace(/\/$/, '');
  const whole = path.includes(':slug') ? path : `${path}/:slug`;
  const isFile = hasUglyUrls(values, section) || /\.html?$/.test(whole);
  const end = isFile ? whole.replace(/(?:\.html?)?$/, '.html') : `${whole}/`;
  return { pattern: `${shape.languagePath}${end.toLowerCase().replaceAll(' ', '-')}`, unknown };
}

/** `uglyURLs` is a switch, or one for each section. */
function hasUglyUrls(values: ValueMap, section: string): boolean {
  return values.uglyurls === true || valueAt(values, 'uglyurls', section.toLowerCase()) === true;
}
