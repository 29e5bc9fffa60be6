import * as z from 'zod';

/** An absolute path; not `//`, which would begin a host. */
const PATH = /^\/(?!\/)[^\s\\]*$/;

/** A file of the site, by its path below `siteUrl`. */
const path = z.string().regex(PATH, { error: 'must be a path on the site such as /logo.svg' });

const address = z.string().refine(isAddress, {
  error: 'must be a path on the site such as /about/, or an http(s) or mailto address',
});

const colour = z
  .string()
  .regex(/^#(?:[\da-f]{3}|[\da-f]{6})$/i, { error: 'must be a colour such as #0a7d5c' });

const length = z.int().min(1).max(4_096);

const host = z.enum(['cloudflare-pages', 'github-pages', 'netlify'], {
  error: 'must be cloudflare-pages, github-pages or netlify, or a list of these',
});

/** An IANA time zone. */
export const timeZone = z
  .string()
  .refine(isTimeZone, { error: 'must be a time zone such as Europe/Vienna or UTC' });

/** A language tag, as in BCP 47. */
export const languageTag = z
  .string()
  .refine(isLanguageTag, { error: 'must be a language tag such as en or de-AT' });

/** The content and look of the built site, with the defaults. */
export const siteSchema = z.strictObject({
  /** The site's name. */
  title: z.string().min(1).default('A Pressmark site'),
  /** One sentence: on the home page, in feeds, and as the home page's description. */
  description: z.string().default(''),
  /** BCP 47; decides `lang`, `dir` and the theme's own words. @default 'en' */
  language: languageTag.default('en'),
  /** The publisher of the site, in the footer and in feeds. */
  author: z.string().default(''),
  /** The links in the header. Default: those of archive, tags and search that the site has. */
  navigation: z.array(z.strictObject({ label: z.string().min(1), href: address })).optional(),
  /** A picture before the site's name. With its size in pixels, the page does not jump while it loads. */
  logo: z
    .union([path, z.strictObject({ src: path, width: length, height: length })], {
      error: 'must be a path on the site such as /assets/logo.svg, or { src, width, height }',
    })
    .optional(),
  /** The colour of links and marks, on light and dark backgrounds. @default { light: '#93371f', dark: '#d9684a' } */
  accent: z
    .union(
      [
        colour.transform((both) => ({ light: both, dark: both })),
        z.strictObject({ light: colour, dark: colour }),
      ],
      {
        error: 'must be a colour such as #0a7d5c, or { light, dark }',
      },
    )
    .default({ light: '#93371f', dark: '#d9684a' }),
  /** A theme between the built-in one and the site's own templates: a package or a folder. */
  theme: z.string().min(1).optional(),
  /** The locale of dates and numbers. Default: `language`. */
  locale: z.string().refine(isLanguageTag, { error: 'must be a language tag such as en-GB' }).optional(),
  /** The time zone of displayed dates. @default 'UTC' */
  timeZone: timeZone.default('UTC'),
  /** The number of headings from which a text gets a table of contents. @default false, which leaves its HTML unchanged */
  toc: z
    .union([z.int().min(1), z.literal(false)], { error: 'must be a number of headings from 1 on, or false' })
    .default(false),
  /** The number of articles on one page of a list. @default 20 */
  pageSize: z.int().min(1).max(1_000).default(20),
  /**
   * The search page and its index, if Pagefind is installed. `maxPages`: the number of newest articles that can be found.
   *
   * @default true: at most 5,000, no more than a quarter of the machine's memory can index
   */
  search: z
    .union([z.boolean(), z.strictObject({ maxPages: z.int().min(1) })], {
      error: 'must be true, false or { maxPages }',
    })
    .default(true),
  /** Static hosts for which extra files are written: `_headers`, or `.nojekyll` and `CNAME`. */
  hosting: z.union([host.transform((name) => [name]), z.array(host)]).default([]),
  /** The Content-Security-Policy of the preview and in `_headers`; false for none. Default: the policy that the theme needs. */
  contentSecurityPolicy: z
    .union([z.literal(false), z.string().regex(/^[\x20-\x7e]+$/)], {
      error: 'must be one line of text, or false',
    })
    .optional(),
});

function isAddress(text: string): boolean {
  if (PATH.test(text)) return true;
  return /^(?:https?:\/\/|mailto:)\S+$/i.test(text) && URL.canParse(text);
}

function isLanguageTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false; // a RangeError: not a valid name for Intl
  }
}

function isTimeZone(text: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).format() !== '';
  } catch {
    return false; // a RangeError: not a time zone
  }
}
