import type { Answers } from './answers.js';
import { literal } from './config-text.js';
import { type Inspection, PLAIN } from './inspect-site.js';

/** One thing that `init` has read. */
export interface Reading {
  readonly what: string;
  readonly value: string;
  /** Where it stands, such as `baseURL in hugo.toml`. */
  readonly from?: string;
}

/** What `init` has read of a site, for a person. */
export function readingReport(
  { generator, evidence, facts }: Inspection,
  siteUrl: string | undefined,
  answers: Answers,
): Reading[] {
  const reading = (what: string, value: string | undefined, from: string | undefined): Reading[] =>
    value === undefined || value === '' ? [] : [{ what, value, ...(from !== undefined && { from }) }];
  const name = generator?.name ?? `${PLAIN} (Pressmark’s own builder)`;
  if (facts === undefined) return reading('generator', name, evidence);
  const { sources = {}, options } = facts;
  /** An answer goes before what was read. */
  const answered = (what: string, key: 'content' | 'file' | 'permalink') => {
    const answer = answers[key];
    return reading(what, answer ?? facts[key], answer === undefined ? sources[key] : `--${key}`);
  };
  const keys = Object.entries(options.keys ?? {}).map(([field, key]) => `${field}: ${key ?? 'none'}`);
  const constants = { ...facts.frontMatter, ...answers.frontMatter };
  return [
    ...reading('generator', name, evidence),
    ...reading('site URL', siteUrl, siteUrl === facts.siteUrl ? sources.siteUrl : undefined),
    ...answered('content', 'content'),
    ...answered('new articles', 'file'),
    ...answered('permalink', 'permalink'),
    ...reading('output', facts.output, sources.output),
    ...reading('build', facts.build, sources.build),
    ...reading('language', facts.language, sources.language),
    ...reading('time zone', options.timeZone, undefined),
    ...reading('theme', facts.theme, sources.theme),
    ...reading('keys', keys.join(', '), sources.options),
    ...reading(
      'front matter',
      Object.keys(constants).length === 0 ? undefined : literal(constants),
      sources.frontMatter,
    ),
    ...reading('tags', facts.tags?.slice(0, 12).join(', '), sources.tags),
  ];
}
