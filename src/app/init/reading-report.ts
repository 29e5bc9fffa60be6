import type { Answers } from './answers.js';
import { literal } from './config-text.js';
import { flatSettings, type Inspection, PLAIN } from './inspect-site.js';

/** A value that `init` has read. */
export interface Reading {
  readonly what: string;
  readonly value: string;
  /** Its source, such as `baseURL in hugo.toml`. */
  readonly from?: string;
}

/** Lists what `init` has read from a site, for a person. */
export function readingReport(
  { generator, evidence, facts, asked, existing }: Inspection,
  siteUrl: string | undefined,
  answers: Answers,
): Reading[] {
  const reading = (what: string, value: string | undefined, from?: string): Reading[] =>
    value === undefined || value === '' ? [] : [{ what, value, ...(from !== undefined && { from }) }];
  const name = generator?.name ?? `${PLAIN}, Pressmark’s own builder`;
  if (facts === undefined) return reading('generator', name, evidence);
  const { options } = facts;
  const { given, defaults } = flatSettings(existing);
  /** The existing config overrides an answer, and an answer overrides what was read. */
  const answered = (what: string, key: 'siteUrl' | 'content' | 'file' | 'permalink' | 'output' | 'build') => {
    const [setting, answer, read] = [given[key], answers[key], key === 'siteUrl' ? siteUrl : facts[key]];
    if (typeof setting === 'string') return reading(what, setting, existing?.name);
    if (existing !== undefined && key !== 'siteUrl') {
      const preset = defaults[key];
      return typeof preset === 'string' ? reading(what, preset, 'the default') : [];
    }
    // An answer that equals the proposal counts as read from the site.
    if (answer !== undefined && answer !== facts[key]) return reading(what, answer, 'answered');
    return reading(what, read, key === 'siteUrl' && read === facts.siteUrl ? facts.siteUrlSource : undefined);
  };
  const keys = Object.entries({ ...options.keys, ...answers.keys })
    .filter(([field, key]) => field !== key)
    .map(([field, key]) => `${field}: ${key ?? 'none'}`);
  const constants = { ...facts.frontMatter, ...answers.frontMatter };
  return [
    ...reading('generator', name, evidence),
    ...reading('asked', asked.join('; ')),
    ...answered('site URL', 'siteUrl'),
    ...answered('content', 'content'),
    ...answered('new articles', 'file'),
    ...answered('permalink', 'permalink'),
    ...answered('output', 'output'),
    ...answered('build', 'build'),
    ...reading('language', facts.language, facts.languageSource),
    ...reading('time zone', options.timeZone),
    ...reading('keys', keys.join(', ')),
    ...reading(
      'kept tags',
      options.keptTags?.join(', '),
      'the site may select posts by them, so no article gets one; see keptTags',
    ),
    ...reading('front matter', Object.keys(constants).length === 0 ? undefined : literal(constants)),
  ];
}
