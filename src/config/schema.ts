import * as z from 'zod';
import { serviceSchema } from '../contract/service-schema.js';
import {
  isBranch,
  isEndpoint,
  isHttpsOrigin,
  isNetwork,
  isPagePath,
  isScannedPath,
  isSiteUrl,
} from './rules.js';
import { languageTag, siteSchema, timeZone } from './site-schema.js';

/** A path below the site's folder. */
const below = z
  .string()
  .min(1)
  .refine((path) => !/^(?:[\\/]|[A-Za-z]:)/.test(path) && !path.split(/[\\/]/).includes('..'), {
    error: 'must be a path below the site’s folder, without ..',
  });

/** In the form of URL parsers, without a trailing slash: a service may compare the URLs of articles as they are written. */
const absoluteUrl = z
  .string()
  .refine(isSiteUrl, {
    error:
      'must be an absolute http(s) URL such as https://example.com, as browsers show it, without query, fragment or credentials',
    abort: true,
  })
  .transform((text) => new URL(text).href.replace(/\/+$/, ''));

const branch = (example: string) =>
  z.string().refine(isBranch, { error: `must be a branch’s name, such as ${example}` });

const remote = z.string().regex(/^[^-\s]\S*$/, { error: 'must be a remote’s name or a URL' });

const HTTPS_ORIGIN = 'must be false or an https URL without a path, such as https://admin.example.com';

/** Without a slug all articles would have the same name, and the search for a free name would never end. */
const pattern = z.string().regex(/:slug\b/, { error: 'must contain :slug' });

/** A value of front matter that YAML, TOML and JSON all have. */
const frontMatterValue: z.ZodType<FrontMatterSetting> = z.lazy(() =>
  z.union([
    z.string(),
    z.number(),
    z.boolean(),
    z.array(frontMatterValue),
    z.record(z.string(), frontMatterValue),
  ]),
);

/** The name of a front matter key; null if the site has no such key. */
const keyName = z.union([z.string().min(1), z.null()]).exactOptional();

/** The values of the setting `generator`: Pressmark's own builder, and the definitions in src/generators. */
export const GENERATOR_NAMES = [
  'plain',
  'hugo',
  'jekyll',
  'eleventy',
  'astro',
  'hexo',
  'vitepress',
  'docusaurus',
  'nuxt-content',
  'markdown-folder',
] as const;

const generatorError = { error: `must be ${GENERATOR_NAMES.join(', ')}, or what defineGenerator returns` };

const generatorName = z.enum(GENERATOR_NAMES, generatorError);

/** The generator of the site, and options of its files that Pressmark does not read from its configuration. */
const generator = z.union(
  [
    generatorName,
    z.strictObject({
      name: generatorName,
      /** Names of front matter keys, if they differ from the usual ones. */
      keys: z
        .strictObject({
          title: z.string().min(1).exactOptional(),
          description: keyName,
          date: z.string().min(1).exactOptional(),
          updated: keyName,
          tags: keyName,
          image: keyName,
          author: keyName,
          category: keyName,
          canonical: keyName,
        })
        .exactOptional(),
      dates: z.enum(['timestamp', 'string', 'day', 'day-string']).exactOptional(),
      timeZone: timeZone.exactOptional(),
      rawHtml: z.boolean().exactOptional(),
      templateSwitch: z.boolean().exactOptional(),
      htmlFiles: z.boolean().exactOptional(),
      futurePages: z.boolean().exactOptional(),
      fetchesImages: z.boolean().exactOptional(),
      titleInBody: z.boolean().exactOptional(),
      staticFolder: below.exactOptional(),
      excerptSeparator: z.string().min(1).exactOptional(),
      markedElements: z.array(z.string().min(1)).exactOptional(),
      usedIds: z.array(z.string().min(1)).exactOptional(),
      keptTags: z.array(z.string().min(1)).exactOptional(),
      routeBase: z.string().startsWith('/').exactOptional(),
      authors: z.record(z.string().min(1), z.string().min(1)).exactOptional(),
      knownAuthorsOnly: z.boolean().exactOptional(),
      categories: z.array(z.string().min(1)).exactOptional(),
      tagSlugs: z.boolean().exactOptional(),
      slugKey: z.boolean().exactOptional(),
      limits: z
        .strictObject({
          title: z.int().min(1).exactOptional(),
          description: z.int().min(1).exactOptional(),
          descriptionFrom: z.int().min(1).exactOptional(),
          tags: z.int().min(0).exactOptional(),
        })
        .exactOptional(),
    }),
    z.custom<DefinedGenerator>(isDefinition, generatorError),
  ],
  generatorError,
);

/** The hosts on which a pull request can be opened. */
const pullRequest = z.enum(['github', 'gitlab', 'gitea']);

/** Pushes commits; true: to `origin`, the branch of HEAD. */
const push = z
  .union([
    z.boolean(),
    z.strictObject({
      /** A remote's name or a URL. @default 'origin' */
      remote: remote.optional(),
      /** Default: the branch of HEAD. */
      branch: branch('main').optional(),
      /** The time for which commits are gathered before a push, in milliseconds. @default 2000 */
      debounce: z.int().min(0).max(3_600_000).default(2_000),
      /** With durability push: the interval of fetches from the remote, in milliseconds. @default 5000 */
      fetchEvery: z.int().min(100).max(3_600_000).default(5_000),
      /** Keeps a pull request open from `branch` for articles that are not merged yet. Default: none. */
      pullRequest: pullRequest.optional(),
      /** The URL of the host's REST API. Default: derived from the remote's URL. */
      api: z.url({ protocol: /^https?$/, error: 'must be the URL of the host’s REST API' }).optional(),
    }),
  ])
  .default(false);

/**
 * The oldest delivery that the service may send again, in milliseconds: its retries come within nine hours (contract: Limits).
 */
const OLDEST_RETRY_MS = 9 * 3_600_000;

/** A duration in hours or days, converted to milliseconds. */
const duration = z
  .string()
  .regex(/^[1-9]\d{0,5}[hd]$/, { error: 'must be a number of hours or days, such as 12h or 30d' })
  .transform((text) => Number.parseInt(text, 10) * (text.endsWith('d') ? 86_400_000 : 3_600_000));

const command = z.string().regex(/\S/, { error: 'must not be empty' });

/** The build command, or an object with the command and its settings. */
const build = z.union([
  command,
  z.strictObject({
    command: command.optional(),
    /** Whether the receiver builds the site after each change. @default true */
    background: z.boolean().default(true),
    /** The time limit of a build, in seconds. @default 600 */
    timeLimit: z.int().min(1).max(86_400).default(600),
    /** The shortest time between two builds, and between two calls of a deploy hook, in seconds. @default 0 */
    every: z.int().min(0).max(86_400).default(0),
  }),
]);

const DEPLOY_FORMS =
  "must be { branch: 'gh-pages' }, { folder: '/srv/www/site' }, { command: '…' }, { hook: true }, or a list of these";

/** The destination of the built site. */
const deployTarget = z.union(
  [
    z.strictObject({
      /** A branch of a git remote. */
      branch: branch('gh-pages'),
      /** A remote of the site's repository, or a URL. @default 'origin' */
      remote: remote.default('origin'),
      /** Files of the branch that a deploy keeps. @default ['CNAME'] */
      keep: z.array(below).default(['CNAME']),
    }),
    z.strictObject({
      /** An absolute folder on this machine, for releases and the link `current`. */
      folder: z.string().startsWith('/', { error: 'must be an absolute path, such as /srv/www/site' }),
    }),
    z.strictObject({
      command,
      /** The time limit, in seconds. @default 600 */
      timeLimit: z.int().min(1).max(86_400).default(600),
    }),
    z.strictObject({
      /** A POST to PRESSMARK_DEPLOY_HOOK. */
      hook: z.literal(true),
    }),
  ],
  { error: DEPLOY_FORMS },
);

/** The schema of `pressmark.config.*`, with the defaults. */
export const schema = z.strictObject({
  /** The site's public address. Articles' URLs start with it, and stay the same after publication. */
  siteUrl: absoluteUrl.optional(),
  /** The path that the service posts to. @default '/webhook' */
  endpoint: z
    .string()
    .refine(isEndpoint, {
      error: 'must be a path such as /webhook, as requests have it, and neither /healthz nor below /-/',
    })
    .default('/webhook'),
  /** The service's names, in its headers and in the item comment. */
  service: serviceSchema.prefault({}),
  /** The address to listen on. Default: all. */
  host: z.string().min(1).optional(),
  /** @default 8787 */
  port: z.int().min(0).max(65_535).default(8787),
  /** The folder of article files. @default 'content' */
  content: below.default('content'),
  /** The folder of the built site. @default 'public' */
  output: below.default('public'),
  /** The folder of the site's own templates. @default 'templates' */
  templates: below.default('templates'),
  /** The generator that builds the site. @default 'plain': Pressmark itself */
  generator: generator.default('plain'),
  /** The command that builds the site with another generator. */
  build: build.optional(),
  /** The destinations of the built site: one or several. */
  deploy: z.union([deployTarget, z.array(deployTarget)], { error: DEPLOY_FORMS }).default([]),
  /** Whether each new and updated article is checked on the public site after its deploy. @default false */
  liveCheck: z.boolean().default(false),
  /** The places of new articles; `:slug`, `:year`, `:month`, `:day` are replaced. */
  articles: z
    .strictObject({
      /** Below `content`. @default 'articles/:year/:month/:slug.md' */
      file: below
        .and(pattern)
        .and(z.string().refine(isScannedPath, { error: 'must not lead into a dot folder or node_modules' }))
        .and(z.string().regex(/\.(?:md|markdown)$/, { error: 'must end in .md or .markdown' }))
        .default('articles/:year/:month/:slug.md'),
      /** Below `siteUrl`. @default '/articles/:slug/' */
      permalink: pattern
        .and(z.string().startsWith('/', { error: 'must start with /' }))
        .and(z.string().regex(/^[^?#\s\\]*$/, { error: 'must not contain ?, #, white space or a backslash' }))
        .and(
          z
            .string()
            .refine(isPagePath, { error: 'must not have empty parts, or parts that begin with a dot' }),
        )
        .default('/articles/:slug/'),
      /**
       * Whether an article's file contains its Markdown or its HTML, if another generator builds the site. @default 'markdown'
       */
      body: z.enum(['markdown', 'html']).default('markdown'),
      /** Front matter of every new article, such as `{ layout: 'post' }`. */
      frontMatter: z.record(z.string(), frontMatterValue).default({}),
      /** The letters of slugs: those of every script, or ASCII. @default 'unicode' */
      slug: z.enum(['unicode', 'ascii']).default('unicode'),
      /** The language for transliteration with `slug: 'ascii'`, as BCP 47. Default: `site.language`. */
      language: languageTag.optional(),
      /** The time zone of `:year`, `:month` and `:day`. Default: the site's, or UTC. */
      timeZone: timeZone.optional(),
    })
    .prefault({}),
  /** The settings of the built site; false if another generator builds it. */
  site: z
    .union([z.literal(false), siteSchema], { error: 'must be false, or { title, language, … }' })
    .prefault({}),
  /** Commits articles; true: if the site's folder is in a git work tree. @default true */
  git: z
    .union(
      [
        z.boolean(),
        z.strictObject({
          /** Author and committer. Default: the repository's, then Pressmark's. */
          author: z.strictObject({ name: z.string().min(1), email: z.string().min(1) }).optional(),
          /**
           * The commit message, whose first line is the subject; `:kind`, `:title`, `:id`, `:slug`, `:revision`, `:author` are
           * replaced. @default ':kind: :title'
           */
          message: z.string().regex(/\S/, { error: 'must not be empty' }).optional(),
          /** Whether subjects end in `[skip ci]`. @default false */
          skipCi: z.boolean().optional(),
          /** Whether commits are signed, with the key and settings of the owner's git. @default false */
          sign: z.boolean().optional(),
          /** Whether people's edits of articles are committed too, as `Edit: <title>`. @default false */
          commitEdits: z.boolean().optional(),
          push,
        }),
      ],
      { error: 'must be true, false, or { author, message, skipCi, sign, commitEdits, push }' },
    )
    .default(true),
  /**
   * The condition for the answer 200 to a delivery: the file is on the disk, its commit exists, or the git remote has accepted
   * the commit. @default 'disk'
   */
  durability: z.enum(['disk', 'commit', 'push']).default('disk'),
  /** Protection against recorded deliveries that are sent again. */
  replay: z
    .strictObject({
      /** The largest age of a new article, by the timestamp in its body, such as `12h` or `30d`. Default: any age. */
      maxAge: duration
        .refine((ms) => ms >= OLDEST_RETRY_MS, {
          error: 'must be 9h or more: the service itself sends a delivery again for nearly nine hours',
        })
        .optional(),
    })
    .prefault({}),
  /** The admin at `/-/admin/`, which is available as soon as there is a user. */
  admin: z
    .strictObject({
      /** The public address of the admin for other machines: an https URL with its own host name. @default false */
      public: z
        .union([z.literal(false), z.string().refine(isHttpsOrigin, { error: HTTPS_ORIGIN })], {
          error: HTTPS_ORIGIN,
        })
        .default(false),
      /** The proxies whose X-Forwarded-Proto and X-Forwarded-For are trusted, besides those on this machine. @default [] */
      trustedProxies: z
        .array(
          z.string().refine(isNetwork, {
            error: 'must be an address or a network, such as 172.18.0.3 or 172.18.0.0/16',
          }),
        )
        .default([]),
    })
    .prefault({}),
  /** Plugins: each is a package name, a path below the site's folder, a plugin, or one of these with its options. */
  plugins: z.array(z.unknown()).default([]),
  /** @default 'info' */
  logLevel: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
});

/** A front matter value in the config. */
export type FrontMatterSetting =
  | string
  | number
  | boolean
  | readonly FrontMatterSetting[]
  | { readonly [key: string]: FrontMatterSetting };

/** A generator definition by the site's owner; see `defineGenerator`. */
export interface DefinedGenerator {
  readonly name: string;
  mapping(...options: never[]): object;
}

function isDefinition(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && 'mapping' in value && typeof value.mapping === 'function'
  );
}

/** A destination of the built site. */
export type DeploySetting = z.output<typeof deployTarget>;

/** The config as the owner writes it. */
export type ConfigInput = z.input<typeof schema>;
/** The config with its defaults. */
export type Config = z.output<typeof schema>;

/** Returns the config unchanged, with completion for editors. */
export function defineConfig(config: ConfigInput): ConfigInput {
  return config;
}
