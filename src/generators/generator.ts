import type { ArticleMapping, FieldLimits, FrontMatterValue, KeyNames } from '../article/format/mapping.js';

/** The files of a site, as definitions read them. Paths are relative to the site's folder, with forward slashes. */
export interface SiteFiles {
  /** A file's text; undefined if there is no file. */
  read(path: string): string | undefined;
  /** The names in a folder, those of folders with a slash at the end; empty if there is no folder. */
  list(folder: string): readonly string[];
}

/**
 * What a site's own configuration decides about its article files. Each can be set in `pressmark.config.*`: the schema of
 * src/config and docs/generators.md list them too.
 */
export interface GeneratorOptions {
  /** Names of front matter keys that differ from the generator's usual ones. */
  readonly keys?: Partial<KeyNames>;
  /** How dates are written: as an unquoted timestamp (default) or a quoted string, or as the day alone of either. */
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
  /** Elements of a body that are marked, so that plugins of the generator leave them alone (Eleventy: bundles, images). */
  readonly markedElements?: readonly string[];
  /** Ids of the site's layouts, where the generator refuses a page that has an id twice (Eleventy: IdAttributePlugin). */
  readonly usedIds?: readonly string[];
  /** Tags by which the site's templates select posts, such as `featured`. */
  readonly keptTags?: readonly string[];
  /**
   * The authors that the site knows, by their names: the key by which its posts refer to each (Docusaurus: `authors.yml`).
   * Every other author is written by name.
   */
  readonly authors?: Readonly<Record<string, string>>;
  /** Whether any other author is left out, as the build would fail at the name (Astro: references). */
  readonly knownAuthorsOnly?: boolean;
  /** The categories of the site. A new article gets those that its tags name. */
  readonly categories?: readonly string[];
  /**
   * Whether a tag has a page that is named by its slug, so that two tags of one slug cannot both be there (Eleventy:
   * `slugify`; Jekyll: jekyll-archives). @default true for Eleventy, false for Jekyll
   */
  readonly tagSlugs?: boolean;
  /** Whether each post must name its slug in its front matter (Astro: a schema that demands `slug`). @default false */
  readonly slugKey?: boolean;
  /** What the site takes of a title, a description and tags, where the build fails at more (Astro: the schema). */
  readonly limits?: FieldLimits;
  /** The path below which all posts are, whatever their addresses (Docusaurus: `routeBasePath`). @default '/blog' */
  readonly routeBase?: string;
  /** Whether the generator fetches an article's pictures when it builds (Astro: `image.domains`, `image.remotePatterns`). */
  readonly fetchesImages?: boolean;
  /** The folder whose files go to the site as they are, where it is not the generator's usual one. */
  readonly staticFolder?: string;
  /** Whether a post begins with its title, because the layout does not show it (VitePress). */
  readonly titleInBody?: boolean;
}

/** What is needed to read and write the article files of one site. */
export interface MappingOptions extends GeneratorOptions {
  /** The setting `articles.body`. */
  readonly body: 'markdown' | 'html';
  /** The setting `articles.frontMatter`. */
  readonly constants: Readonly<Record<string, FrontMatterValue>>;
  /** The address that the site's patterns give to a slug and a date (`articles.permalink`). */
  address(slug: string, date: string): string;
}

/** A change of a file of the site's own, such as a line below `exclude:` of `_config.yml`. */
export interface FileEdit {
  readonly path: string;
  /** The whole new text. Everything but the addition is byte for byte as it was. */
  readonly text: string;
  /** What was added and why, in one sentence. */
  readonly reason: string;
}

/** Something that `init` could not find out. */
export interface Question {
  /** The flag of `init` that answers it, without dashes, such as `content`. */
  readonly flag: 'content' | 'file' | 'permalink' | 'output' | 'build' | 'front-matter';
  readonly text: string;
  /** With the flag `front-matter`: the key whose value is asked for. */
  readonly key?: string;
  /** What `--yes` answers; undefined if nothing can be proposed, so that `init` stops. */
  readonly fallback?: string;
}

/** A site, and a way to ask its generator. */
export interface AskedSite {
  readonly files: SiteFiles;
  /** The folder of posts, where the owner has named it. */
  readonly content?: string | undefined;
  /**
   * Runs a command of a shell in a copy of the site.
   *
   * @param shown how `init` reports a long one. @default the command
   * @returns what it prints; undefined if it fails.
   */
  ask(command: string, shown?: string): Promise<string | undefined>;
}

/** What the site's generator and posts say. */
export interface SiteFacts {
  /** The public address with the base path, without a trailing slash; undefined if the site does not say it: `init` asks. */
  readonly siteUrl: string | undefined;
  /** The setting that says the public address, such as `baseURL`; `init` reports it. */
  readonly siteUrlSource?: string;
  readonly language: string | undefined;
  /** The folder that article files are read from, such as `content` (Hugo) or `_posts`. */
  readonly content: string;
  /** Where a new article goes, below `content`; a pattern such as `posts/:slug.md`. */
  readonly file: string;
  /** The address of a new article, a pattern such as `/posts/:slug/`, in the manner of the site's other posts. */
  readonly permalink: string;
  /** The folder of the built site, such as `public`, `_site` or `dist`. */
  readonly output: string;
  /** The command that builds the site, such as `npm run build` or `hugo --minify`; undefined if the site is rendered by a server. */
  readonly build: string | undefined;
  /** Front matter that the site's posts have in common and that a new article needs, such as `layout: post`. */
  readonly frontMatter: Readonly<Record<string, FrontMatterValue>>;
  readonly options: GeneratorOptions;
  /** Additions to the site's own files that keep Pressmark's files out of the generator's input and output. @default none */
  readonly edits?: readonly FileEdit[];
  /** Lines for `.gitignore`, such as `_site/`. */
  readonly ignore: readonly string[];
  readonly questions: readonly Question[];
  /** What the owner should know besides the definition's `problems`, each with its fix. */
  readonly warnings: readonly Problem[];
}

/** Something that keeps articles from being displayed, and its fix. Both are whole sentences, for `init` and `doctor`. */
export interface Problem {
  readonly level: 'warn' | 'fail';
  readonly text: string;
  readonly fix: string;
}

/** What a definition's `problems` may look at. */
export interface SiteSettings {
  readonly content: string;
  readonly options: GeneratorOptions;
}

/** A question to a generator. It runs in a copy of the site, because generators write caches when they are asked. */
export interface AddressQuery {
  /** A shell command that prints the answer. */
  readonly command: string;
  /** Reads what the command has printed. @param siteUrl without a trailing slash. */
  parse(printed: string, siteUrl: string): readonly ListedPage[];
  /** Why no article may come before the config is changed, `; `, and what to change, from the same text. @default nothing */
  problem?(printed: string): string | undefined;
}

/** A page as its generator lists it. */
export interface ListedPage {
  /** The file that it is made from, relative to the site's folder, with forward slashes. */
  readonly path: string;
  /** The path of its URL below the site's, percent-encoded or not. */
  readonly address: string;
}

/** All that Pressmark knows about one static-site generator. */
export interface Generator {
  /** Such as `hugo`. */
  readonly name: string;
  /** The packages that a site of this generator depends on, such as `@11ty/eleventy`. @default none */
  readonly packages?: readonly string[];
  /** The file by which a site of this generator is recognised, such as `hugo.toml`; undefined for another site. */
  recognise(files: SiteFiles): string | undefined;
  /** Finds out about a site for `init`, which writes it into `pressmark.config.*`. */
  inspect(site: AskedSite): SiteFacts | Promise<SiteFacts>;
  mapping(options: MappingOptions): ArticleMapping;
  /** Files and folders whose change may change addresses: the site's configuration and layouts, not its posts. */
  readonly configFiles: readonly string[];
  /** Folders and files that a copy of the site does not need besides `.git` and `node_modules`, such as `public`. */
  readonly caches: readonly string[];
  /**
   * How the generator says which file has its page at which URL. Absent where it cannot: then the pages of the last good
   * build are compared with the posts.
   */
  addressQuery?(files: SiteFiles, options: GeneratorOptions): AddressQuery;
  /**
   * The folder whose files go to the site as they are, such as `static`, relative to the site's folder; '' for that itself.
   * What the built site lacks of it is copied after the build. @default 'public'
   */
  staticFolder?(files: SiteFiles): string;
  /** Whether front matter decides the address of a new article, whatever rules the site has for its posts. @default false */
  readonly pinsAddresses?: boolean;
  /** What `init` and `doctor` find in the site's configuration. @default nothing */
  problems?(files: SiteFiles, settings: SiteSettings): readonly Problem[];
}

/** An owner's own definition, as it is: editors know its types by this. See docs/generators.md. */
export function defineGenerator(generator: Generator): Generator {
  return generator;
}
