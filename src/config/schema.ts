import * as z from 'zod';
import { serviceSchema } from '../contract/service-schema.js';
import {
  isBranch,
  isEndpoint,
  isHttpsOrigin,
  isNetwork,
  isPagePath,
  isReadBack,
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

const absoluteUrl = z.string().refine(isSiteUrl, {
  error:
    'must be an absolute http(s) URL such as https://example.com, as browsers show it, without query, fragment or credentials',
});

const branch = (example: string) =>
  z.string().refine(isBranch, { error: `must be a branch’s name, such as ${example}` });

const remote = z.string().regex(/^[^-\s]\S*$/, { error: 'must be a remote’s name or a URL' });

const HTTPS_ORIGIN = 'must be false or an https URL without a path, such as https://admin.example.com';

/** Without its slug all articles would have one name, and the search for a free one would never end. */
const pattern = z.string().regex(/:slug\b/, { error: 'must contain :slug' });

/** A value of front matter: what YAML, TOML and JSON have in common. */
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

/** The names that the setting `generator` may have: Pressmark's own builder, and those of src/generators. */
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

/** Which generator builds the site, and what its files need that Pressmark does not read from its configuration. */
const generator = z.union(
  [
    generatorName,
    z.strictObject({
      name: generatorName,
      /** Names of front matter keys, where they differ from the usual ones. */
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

/** Pushing what is committed; true: to `origin`, the branch that HEAD is on. */
const push = z
  .union([
    z.boolean(),
    z.strictObject({
      /** A remote's name or a URL. @default 'origin' */
      remote: remote.optional(),
      /** Default: the branch that HEAD is on. */
      branch: branch('main').optional(),
      /** How long commits gather before they are pushed, in milliseconds. @default 2000 */
      debounce: z.int().min(0).max(3_600_000).default(2_000),
      /** With durability push: how often the remote is asked for what others stored, in milliseconds. @default 5000 */
      fetchEvery: z.int().min(100).max(3_600_000).default(5_000),
      /** Keeps a pull request open from `branch` for the articles that wait. Default: none. */
      pullRequest: pullRequest.optional(),
      /** The URL of the REST API of the host. Default: that of the host in the remote's URL. */
      api: z.url({ protocol: /^https?$/, error: 'must be the URL of the host’s REST API' }).optional(),
    }),
  ])
  .default(false);

/** How old a delivery can be that the service sends once more: its retries come within nine hours (contract: Limits). */
const OLDEST_RETRY_MS = 9 * 3_600_000;

/** A duration in hours or days; in milliseconds. */
const duration = z
  .string()
  .regex(/^[1-9]\d{0,5}[hd]$/, { error: 'must be a number of hours or days, such as 12h or 30d' })
  .transform((text) => Number.parseInt(text, 10) * (text.endsWith('d') ? 86_400_000 : 3_600_000));

const command = z.string().regex(/\S/, { error: 'must not be empty' });

/** The build command, or one with its settings. */
const build = z.union([
  command,
  z.strictObject({
    command: command.optional(),
    /** Whether the receiver builds the site after each change. @default true */
    background: z.boolean().default(true),
    /** How long one build may take, in seconds. @default 600 */
    timeLimit: z.int().min(1).max(86_400).default(600),
    /** How much time lies at least between two builds, and between two calls of a deploy hook, in seconds. @default 0 */
    every: z.int().min(0).max(86_400).default(0),
  }),
]);

const DEPLOY_FORMS =
  "must be { branch: 'gh-pages' }, { folder: '/srv/www/site' }, { command: '…' }, { hook: true }, or a list of these";

/** Where the built site goes. */
const deployTarget = z.union(
  [
    z.strictObject({
      /** A branch of a git remote. */
      branch: branch('gh-pages'),
      /** A remote of the site's repository, or a URL. @default 'origin' */
      remote: remote.default('origin'),
      /** Files of the branch that stay as they are there. @default ['CNAME'] */
      keep: z.array(below).default(['CNAME']),
    }),
    z.strictObject({
      /** A folder of this machine, for releases and the link `current`. */
      folder: z.string().startsWith('/', { error: 'must be an absolute path, such as /srv/www/site' }),
    }),
    z.strictObject({
      command,
      /** How long it may take, in seconds. @default 600 */
      timeLimit: z.int().min(1).max(86_400).default(600),
    }),
    z.strictObject({
      /** A POST to PRESSMARK_DEPLOY_HOOK. */
      hook: z.literal(true),
    }),
  ],
  { error: DEPLOY_FORMS },
);

/** What `pressmark.config.*` may hold, with the defaults. */
export const schema = z.strictObject({
  /** The site's public address; articles' URLs start with it and are frozen at publication. */
  siteUrl: absoluteUrl.optional(),
  /** The path that the service posts to. @default '/webhook' */
  endpoint: z
    .string()
    .refine(isEndpoint, {
      error: 'must be a path such as /webhook, as requests have it, and neither /healthz nor below /-/',
    })
    .default('/webhook'),
  /** What the service calls itself, in the names of its headers and in the item comment. */
  service: serviceSchema.prefault({}),
  /** The address that is listened on. Default: all. */
  host: z.string().min(1).optional(),
  /** @default 8787 */
  port: z.int().min(0).max(65_535).default(8787),
  /** The folder of article files. @default 'content' */
  content: below.default('content'),
  /** The folder of the built site. @default 'public' */
  output: below.default('public'),
  /** The folder of the site's own templates. @default 'templates' */
  templates: below.default('templates'),
  /** What builds the site. @default 'plain': Pressmark itself */
  generator: generator.default('plain'),
  /** The command that builds the site, where another generator does. */
  build: build.optional(),
  /** Where the built site goes; one of these, or several. */
  deploy: z.union([deployTarget, z.array(deployTarget)], { error: DEPLOY_FORMS }).default([]),
  /** Whether each new and updated article is looked up on the public site after it was deployed. @default false */
  liveCheck: z.boolean().default(false),
  /** Where new articles go; `:slug`, `:year`, `:month`, `:day` are replaced. */
  articles: z
    .strictObject({
      /** Below `content`. @default 'articles/:year/:month/:slug.md' */
      file: below
        .and(pattern)
        .and(z.string().refine(isReadBack, { error: 'must not lead into a dot folder or node_modules' }))
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
      /** Whether an article's file holds its Markdown or its HTML, where another generator builds the site. @default 'markdown' */
      body: z.enum(['markdown', 'html']).default('markdown'),
      /** Front matter that every new article has, such as `{ layout: 'post' }`. */
      frontMatter: z.record(z.string(), frontMatterValue).default({}),
      /** Which letters slugs have: those of every script, or those of ASCII. @default 'unicode' */
      slug: z.enum(['unicode', 'ascii']).default('unicode'),
      /** BCP 47; with `slug: 'ascii'`, whose letters they are. Default: `site.language`. */
      language: languageTag.optional(),
      /** The time zone whose day `:year`, `:month` and `:day` mean. Default: the site's, or UTC. */
      timeZone: timeZone.optional(),
    })
    .prefault({}),
  /** The built site; false if another generator builds it. */
  site: z
    .union([z.literal(false), siteSchema], { error: 'must be false, or { title, language, … }' })
    .prefault({}),
  /** Commits for what is stored; true: wherever the site's folder is in a git work tree. @default true */
  git: z
    .union(
      [
        z.boolean(),
        z.strictObject({
          /** Author and committer. Default: the repository's, then Pressmark's. */
          author: z.strictObject({ name: z.string().min(1), email: z.string().min(1) }).optional(),
          /**
           * The message, its first line the subject; `:kind`, `:title`, `:id`, `:slug`, `:revision`, `:author` are
           * replaced. @default ':kind: :title'
           */
          message: z.string().regex(/\S/, { error: 'must not be empty' }).optional(),
          /** Whether subjects end in `[skip ci]`. @default false */
          skipCi: z.boolean().optional(),
          /** Whether commits are signed, with the owner's key and settings of git. @default false */
          sign: z.boolean().optional(),
          /** Whether people's edits of articles are committed too, each as `Edit: <title>`. @default false */
          commitEdits: z.boolean().optional(),
          push,
        }),
      ],
      { error: 'must be true, false, or { author, message, skipCi, sign, commitEdits, push }' },
    )
    .default(true),
  /**
   * What must have happened before a delivery is answered with 200: the file is on the disk, its commit is too, or
   * the git remote has accepted it.
   * @default 'disk'
   */
  durability: z.enum(['disk', 'commit', 'push']).default('disk'),
  /** What protects from deliveries that somebody has recorded and sends again. */
  replay: z
    .strictObject({
      /** How old the body's timestamp of a new article may be, such as `12h` or `30d`. Default: any age. */
      maxAge: duration
        .refine((ms) => ms >= OLDEST_RETRY_MS, {
          error: 'must be 9h or more: the service itself sends a delivery again for nearly nine hours',
        })
        .optional(),
    })
    .prefault({}),
  /** The admin below `/-/admin/`, which is there as soon as there is a user. */
  admin: z
    .strictObject({
      /** Where it is served to other machines too: an https URL with a host name that nothing else has. @default false */
      public: z
        .union([z.literal(false), z.string().refine(isHttpsOrigin, { error: HTTPS_ORIGIN })], {
          error: HTTPS_ORIGIN,
        })
        .default(false),
      /** The proxies whose X-Forwarded-Proto and X-Forwarded-For are believed; those on this machine always are. @default [] */
      trustedProxies: z
        .array(
          z.string().refine(isNetwork, {
            error: 'must be an address or a network, such as 172.18.0.3 or 172.18.0.0/16',
          }),
        )
        .default([]),
    })
    .prefault({}),
  /** Plugins: a package name, a path below the site's folder, a plugin, or one of these with its options. */
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

/** A generator that the site's owner has defined; see `defineGenerator`. */
export interface DefinedGenerator {
  readonly name: string;
  mapping(...options: never[]): object;
}

function isDefinition(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && 'mapping' in value && typeof value.mapping === 'function'
  );
}

/** A place that the built site goes to. */
export type DeploySetting = z.output<typeof deployTarget>;

/** The config as a person writes it. */
export type ConfigInput = z.input<typeof schema>;
/** The config with its defaults. */
export type Config = z.output<typeof schema>;

/** Gives editors completion for `pressmark.config.js`. */
export function defineConfig(config: ConfigInput): ConfigInput {
  return config;
}
