import type { ArticleMapping, FieldLimits, FrontMatterValue, KeyNames } from '../article/format/mapping.js';

/** The files of a site, for definitions. Paths are relative to the site's folder, with forward slashes. */
export interface SiteFiles {
  /** The text of a file; undefined if it does not exist. */
  read(path: string): string | undefined;
  /** The names in a folder, folders with a slash at the end; empty if the folder does not exist. */
  list(folder: string): readonly string[];
}

/**
 * The options of article files that follow from a site's own configuration. Each can be set in `pressmark.config.*`: the schema
 * of src/config lists them too, and docs/generators.md those that owners change.
 */
export interface GeneratorOptions {
  /** Names of front matter keys that differ from the generator's usual ones. */
  readonly keys?: Partial<KeyNames>;
  /** The form of dates: an unquoted timestamp (default) or a quoted string, or only the day in either form. */
  readonly dates?: 'timestamp' | 'string' | 'day' | 'day-string';
  /** IANA name of the time zone in which the site counts days. @default 'UTC' */
  readonly timeZone?: string;
  /** Whether the site's Markdown renderer keeps raw HTML (Hugo: `unsafe`). */
  readonly rawHtml?: boolean;
  /** Whether the generator has a switch that turns templates off in one file (Jekyll 4; Jekyll 3 has none). */
  readonly templateSwitch?: boolean;
  /** Whether the generator makes pages of `.html` files (Astro: with the loader of `pressmark/astro`). */
  readonly htmlFiles?: boolean;
  /** Whether the generator makes pages of files with a date in the future (Jekyll: `future: true`). @default false */
  readonly futurePages?: boolean;
  /** The separator at which the generator cuts an excerpt out of a body (Eleventy: `setFrontMatterParsingOptions`). */
  readonly excerptSeparator?: string;
  /** Elements of a body that are marked so that plugins of the generator leave them alone (Eleventy: bundles, images). */
  readonly markedElements?: readonly string[];
  /** Ids in the site's layouts, if the generator refuses a page with duplicate ids (Eleventy: IdAttributePlugin). */
  readonly usedIds?: readonly string[];
  /** Tags by which the site's templates select posts, such as `featured`. */
  readonly keptTags?: readonly string[];
  /**
   * The site's authors: the key by which posts refer to an author, by the author's name (Docusaurus: `authors.yml`). Other
   * authors are written by name.
   */
  readonly authors?: Readonly<Record<string, string>>;
  /** Whether unknown authors are left out, because the build would fail at the name (Astro: references). */
  readonly knownAuthorsOnly?: boolean;
  /** The categories of the site. A new article gets those that its tags name. */
  readonly categories?: readonly string[];
  /**
   * Whether each tag has a page that is named by the tag's slug, so that two tags with one slug are not possible (Eleventy:
   * `slugify`; Jekyll: jekyll-archives). @default true for Eleventy, false for Jekyll
   */
  readonly tagSlugs?: boolean;
  /** Whether each post must have its slug in its front matter (Astro: a schema that requires `slug`). @default false */
  readonly slugKey?: boolean;
  /** The limits of a title, a description and tags, beyond which the build fails (Astro: the schema). */
  readonly limits?: FieldLimits;
  /** The path of all posts (Docusaurus: `routeBasePath`). @default '/blog' */
  readonly routeBase?: string;
  /** Whether the generator fetches an article's pictures during a build (Astro: `image.domains`, `image.remotePatterns`). */
  readonly fetchesImages?: boolean;
  /** The folder whose files are copied to the site unchanged, if it is not the generator's usual one. */
  readonly staticFolder?: string;
  /** Whether a post begins with its title, because the layout does not show it (VitePress). */
  readonly titleInBody?: boolean;
}

/** The options for reading and writing the article files of one site. */
export interface MappingOptions extends GeneratorOptions {
  /** The setting `articles.body`. */
  readonly body: 'markdown' | 'html';
  /** The setting `articles.frontMatter`. */
  readonly constants: Readonly<Record<string, FrontMatterValue>>;
  /** The address of a slug and a date by the site's patterns (`articles.permalink`). */
  address(slug: string, date: string): string;
}

/** A change in one of the site's own files, such as a line below `exclude:` of `_config.yml`. */
export interface FileEdit {
  readonly path: string;
  /** The whole new text. Only the addition differs from the old text. */
  readonly text: string;
  /** The addition and its reason, in one sentence. */
  readonly reason: string;
}

/** A question about a fact that `init` could not find out. */
export interface Question {
  /** The flag of `init` that answers it, without dashes, such as `content`. */
  readonly flag: 'content' | 'file' | 'permalink' | 'output' | 'build' | 'front-matter';
  readonly text: string;
  /** With the flag `front-matter`: the key whose value is needed. */
  readonly key?: string;
  /** The answer of `--yes`; undefined if there is none, so that `init` stops. */
  readonly fallback?: string;
}

/** A site, and a way to ask its generator. */
export interface AskedSite {
  readonly files: SiteFiles;
  /** The folder of posts, if the owner has named it. */
  readonly content?: string | undefined;
  /**
   * Runs a shell command in a copy of the site.
   *
   * @param shown the name by which `init` reports a long command. @default the command
   * @returns the output; undefined if the command fails.
   */
  ask(command: string, shown?: string): Promise<string | undefined>;
}

/** The facts about a site, from its generator and its posts. */
export interface SiteFacts {
  /**
   * The public address with the base path, without a trailing slash; undefined if the site does not have it, so that `init`
   * asks.
   */
  readonly siteUrl: string | undefined;
  /** The setting that contains the public address, such as `baseURL`, for the report of `init`. */
  readonly siteUrlSource?: string;
  readonly language: string | undefined;
  /** The setting that contains the language, such as `defaultContentLanguage`, for the report of `init`. */
  readonly languageSource?: string;
  /** The folder from which the generator reads article files, such as `content` (Hugo) or `_posts`. */
  readonly content: string;
  /** The path of a new article below `content`, as a pattern such as `posts/:slug.md`. */
  readonly file: string;
  /** The address of a new article, as a pattern such as `/posts/:slug/`, like those of the site's other posts. */
  readonly permalink: string;
  /** The folder of the built site, such as `public`, `_site` or `dist`. */
  readonly output: string;
  /** The command that builds the site, such as `npm run build` or `hugo --minify`; undefined if the site is rendered by a server. */
  readonly build: string | undefined;
  /** Front matter that the site's posts share and that a new article needs, such as `layout: post`. */
  readonly frontMatter: Readonly<Record<string, FrontMatterValue>>;
  readonly options: GeneratorOptions;
  /** Additions to the site's own files that keep Pressmark's files out of the generator's input and output. @default none */
  readonly edits?: readonly FileEdit[];
  /** Lines for `.gitignore`, such as `_site/`. */
  readonly ignore: readonly string[];
  readonly questions: readonly Question[];
  /** Warnings for the owner besides the definition's `problems`, each with its fix. */
  readonly warnings: readonly Problem[];
}

/** A fault that keeps articles from being displayed, and its fix. Both are whole sentences, for `init` and `doctor`. */
export interface Problem {
  readonly level: 'warn' | 'fail';
  readonly text: string;
  readonly fix: string;
}

/** A query to a generator. It runs in a copy of the site, because generators write caches. */
export interface AddressQuery {
  /** A shell command that prints the answer. */
  readonly command: string;
  /** Reads the output of the command. @param siteUrl without a trailing slash. */
  parse(printed: string, siteUrl: string): readonly ListedPage[];
  /**
   * The reason why no article may be published before the config is changed, `; `, and the change, from the same output.
   * @default nothing
   */
  problem?(printed: string): string | undefined;
}

/** A page in a generator's list. */
export interface ListedPage {
  /** The source file, relative to the site's folder, with forward slashes. */
  readonly path: string;
  /** The path of the page's URL below the site's, percent-encoded or not. */
  readonly address: string;
}

/** The definition of one static site generator. */
export interface Generator {
  /** Such as `hugo`. */
  readonly name: string;
  /** The packages that a site of this generator depends on, such as `@11ty/eleventy`. @default none */
  readonly packages?: readonly string[];
  /** The file that identifies a site of this generator, such as `hugo.toml`; undefined for any other site. */
  recognise(files: SiteFiles): string | undefined;
  /** Finds out the facts about a site for `init`, which writes them into `pressmark.config.*`. */
  inspect(site: AskedSite): SiteFacts | Promise<SiteFacts>;
  mapping(options: MappingOptions): ArticleMapping;
  /** Files and folders that may change addresses when they change: the site's configuration and layouts, not its posts. */
  readonly configFiles: readonly string[];
  /** Folders and files besides `.git` and `node_modules` that a copy of the site does not need, such as `public`. */
  readonly caches: readonly string[];
  /**
   * The query for the URL of each file's page. If a generator has no such query, the pages of the last successful build are
   * compared with the posts.
   */
  addressQuery?(files: SiteFiles, options: GeneratorOptions): AddressQuery;
  /**
   * The folder whose files are copied to the site unchanged, such as `static`, relative to the site's folder; '' for that
   * folder itself. Files that the built site lacks are copied after the build. @default 'public'
   */
  staticFolder?(files: SiteFiles): string;
  /** Whether front matter decides the address of a new article, regardless of the site's rules for posts. @default false */
  readonly pinsAddresses?: boolean;
  /**
   * The problems in the site's configuration, for `init` and `doctor`. @default none
   *
   * @param content the setting `content`.
   */
  problems?(files: SiteFiles, content: string): readonly Problem[];
}

/** Returns an owner's definition unchanged, with types for editors. See docs/generators.md. */
export function defineGenerator(generator: Generator): Generator {
  return generator;
}
