import { byFrequency, mapOf, type ValueMap } from '../value.js';
import { defaultsOfPosts } from './config.js';
import type { Post } from './posts.js';

/** What Jekyll's named permalink styles stand for. */
const STYLES: Readonly<Record<string, string>> = {
  date: '/:categories/:year/:month/:day/:title:output_ext',
  pretty: '/:categories/:year/:month/:day/:title/',
  ordinal: '/:categories/:year/:y_day/:title:output_ext',
  weekdate: '/:categories/:year/W:week/:short_day/:title:output_ext',
  none: '/:categories/:title:output_ext',
};

/** What stands in for each of Jekyll's tokens; an empty text drops its part of the path. */
const TOKENS: Readonly<Record<string, string>> = {
  year: ':year',
  month: ':month',
  day: ':day',
  title: ':slug',
  slug: ':slug',
  output_ext: '.html',
  collection: 'posts',
  categories: '',
  slugified_categories: '',
};

/** Tokens of which Pressmark's patterns have no equal; the nearest is taken, and the owner is asked. */
const NEAREST: Readonly<Record<string, string>> = {
  i_month: ':month',
  short_month: ':month',
  long_month: ':month',
  i_day: ':day',
  y_day: ':month/:day',
  short_day: '',
  long_day: '',
  w_day: '',
  week: '',
  w_year: ':year',
  short_year: ':year',
  hour: '',
  minute: '',
  second: '',
  path: ':slug',
  name: ':slug',
};

/** The permalink rule of new posts, in Jekyll's tokens. */
export function permalinkRule(config: ValueMap, posts: readonly Post[]): string {
  const inDefaults = defaultsOfPosts(config).permalink;
  const ofPosts = mapOf(mapOf(config.collections).posts).permalink;
  const given = [inDefaults, ofPosts, config.permalink].find(
    (rule) => typeof rule === 'string' && rule !== '',
  );
  const pinned = posts.filter(({ data }) => typeof data.permalink === 'string');
  // Where most posts name their own address, the rule is what these have in common.
  if (pinned.length * 2 > posts.length) {
    const rules = pinned.map(({ data, slug }) => patternOfPinned(String(data.permalink), slug));
    const common = byFrequency(rules.filter((rule) => rule !== undefined))[0];
    if (common !== undefined) return common;
  }
  const rule = typeof given === 'string' ? given : 'date';
  return STYLES[rule] ?? rule;
}

function patternOfPinned(permalink: string, slug: string): string | undefined {
  if (permalink.includes(':')) return permalink;
  const parts = permalink.split('/');
  const at = parts.findLastIndex((part) => part.replace(/\.html$/, '') === slug);
  const last = parts[at];
  if (last === undefined || slug === '') return undefined;
  return parts.with(at, last.endsWith('.html') ? ':title.html' : ':title').join('/');
}

/** A pattern of Pressmark's for one of Jekyll's, and the tokens that it lost. */
export function pressmarkPattern(rule: string): { pattern: string; unknown: readonly string[] } {
  const unknown: string[] = [];
  const filled = rule.replace(/:([a-z_]+)/g, (whole, name: string) => {
    // `:title_x` is the token `:title` and a text.
    const token = [...Object.keys(TOKENS), ...Object.keys(NEAREST)]
      .sort((a, b) => b.length - a.length)
      .find((known) => name.startsWith(known));
    if (token === undefined) {
      unknown.push(name);
      return '';
    }
    if (!Object.hasOwn(TOKENS, token)) unknown.push(token);
    return `${TOKENS[token] ?? NEAREST[token] ?? ''}${whole.slice(token.length + 1)}`;
  });
  const path = `/${filled}`.replace(/\/W?(?=\/)/g, '/').replace(/\/{2,}/g, '/');
  const hasSlug = path.includes(':slug');
  return { pattern: hasSlug ? path : `${path.replace(/\/?$/, '/')}:slug/`, unknown };
}
