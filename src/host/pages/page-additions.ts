import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import type MarkdownIt from 'markdown-it';
import { quote } from '../../errors.js';
import { complaintsOf } from '../invalid.js';
import type { ArticleSummary } from './page-types.js';

/** The Markdown renderer, for plugins to extend. */
export type Markdown = InstanceType<typeof MarkdownIt>;

/** Renders a shortcode as HTML. The result may only depend on its attributes, the plugin's code and its `input` files. */
export type Shortcode = (attributes: Readonly<Record<string, string>>) => string;

/** An article as input for derived data. */
export interface DataArticle extends ArticleSummary {
  /** Its text as HTML. */
  readonly html: string;
}

/** Data derived from all articles; see `PagesHost.data`. */
export interface PageData<Input = unknown, Result = unknown> {
  /**
   * The part of an article that the data is derived from, as JSON of at most 20,000 characters. It is cached until the
   * article's file changes.
   */
  inputs(article: DataArticle): Input;
  /** Derives the data from the inputs of all articles, newest first. */
  compute(articles: readonly { readonly article: ArticleSummary; readonly input: Input }[]): Result;
  /** The part of the data that an article's page shows, as JSON. The page is made again when it has changed. */
  of(article: ArticleSummary, result: Result): unknown;
}

/** A folder of templates, assets or words; absolute. */
export type ThemeFolder = { readonly kind: 'theme' | 'assets' | 'words'; readonly dir: string };

/** What plugins add to pages besides hooks and files. */
export interface PageAdditions {
  readonly markdown: { readonly plugin: string; extend(md: Markdown): void }[];
  readonly shortcodes: Map<string, { readonly plugin: string; readonly make: Shortcode }>;
  readonly helpers: Map<string, { readonly plugin: string; readonly help: (...args: never[]) => unknown }>;
  readonly data: Map<string, { readonly plugin: string; readonly spec: PageData }>;
  readonly folders: ThemeFolder[];
  /** Files that pages depend on; absolute. */
  readonly inputs: string[];
  /** The methods that each plugin has called. */
  readonly calls: { readonly plugin: string; readonly name: keyof PageAdding }[];
}

/** The methods of `PagesHost` that add to pages. */
export interface PageAdding {
  /** Extends the `markdown-it` that renders people's Markdown. The service's articles come with their HTML. */
  markdown(extend: (md: Markdown) => void): void;
  /** Renders `[[name key="value"]]` in people's Markdown. */
  shortcode(name: string, make: Shortcode): void;
  /** Adds a function for templates: `it.helpers.name(…)`. */
  helper(name: string, help: (...args: never[]) => unknown): void;
  /** Derives data from all articles, for `it.extra.<name>` on the pages of articles. */
  data<Input, Result>(name: string, spec: PageData<Input, Result>): void;
  /** Adds a folder of templates, which override the theme's and are overridden by the site's own. */
  templates(dir: string | URL): void;
  /** Adds files to the site's `assets/`. */
  assets(dir: string | URL): void;
  /** Adds phrases for the theme: `<language>.json`. */
  words(dir: string | URL): void;
  /** Declares that pages depend on a file: when it changes, all pages are made again. @returns its path. */
  input(file: string | URL): string;
}

/** An empty list of additions. */
export function noAdditions(): PageAdditions {
  return {
    markdown: [],
    shortcodes: new Map(),
    helpers: new Map(),
    data: new Map(),
    folders: [],
    inputs: [],
    calls: [],
  };
}

const NAME = /^[a-z][\w-]*$/i;

/**
 * The methods by which one plugin adds to pages.
 *
 * @param checkOpen throws if registration has ended.
 */
export function addingTo(
  all: PageAdditions,
  plugin: string,
  checkOpen: (plugin: string, what: string) => void,
): PageAdding {
  const complain = complaintsOf(plugin);

  function add<T>(
    to: Map<string, T & { readonly plugin: string }>,
    kind: string,
    name: string,
    value: T,
  ): void {
    checkOpen(plugin, `the ${kind} ${quote(name)}`);
    if (typeof name !== 'string' || !NAME.test(name))
      throw complain(`the name of the ${kind} ${quote(name)} must be made of letters, digits, - and _`);
    const other = to.get(name);
    if (other !== undefined)
      throw complain(`there is a ${kind} ${quote(name)} of plugin ${other.plugin}; choose another name`);
    to.set(name, { ...value, plugin });
  }

  function functionOf<F>(value: F, what: string): F {
    if (typeof value !== 'function') throw complain(`${what} is not a function`);
    return value;
  }

  function pathOf(given: string | URL, what: string): string {
    checkOpen(plugin, what);
    const path = given instanceof URL ? fileURLToPath(given) : given;
    if (typeof path !== 'string' || !isAbsolute(path))
      throw complain(`${what} ${quote(path)} is no absolute path; write new URL('./name', import.meta.url)`);
    return path.replace(/\/$/, '');
  }

  const folder = (kind: ThemeFolder['kind'], what: string) => (dir: string | URL) =>
    void all.folders.push({ kind, dir: pathOf(dir, what) });

  const methods: PageAdding = {
    markdown: (extend) => {
      checkOpen(plugin, 'an extension of Markdown');
      all.markdown.push({ plugin, extend: functionOf(extend, 'what extends Markdown') });
    },
    shortcode: (name, make) =>
      add(all.shortcodes, 'shortcode', name, { make: functionOf(make, `the shortcode ${quote(name)}`) }),
    helper: (name, help) =>
      add(all.helpers, 'helper', name, { help: functionOf(help, `the helper ${quote(name)}`) }),
    data: (name, spec) => {
      for (const part of ['inputs', 'compute', 'of'] as const)
        functionOf(spec?.[part], `${part} of the data ${quote(name)}`);
      add(all.data, 'data', name, { spec: spec as PageData });
    },
    templates: folder('theme', 'the folder of templates'),
    assets: folder('assets', 'the folder of assets'),
    words: folder('words', 'the folder of words'),
    input: (file) => {
      const path = pathOf(file, 'the input');
      all.inputs.push(path);
      return path;
    },
  };
  const called = Object.entries(methods).map(([name, method]) => [
    name,
    (...args: unknown[]) => {
      all.calls.push({ plugin, name: name as keyof PageAdding });
      return Reflect.apply(method, methods, args);
    },
  ]);
  return Object.fromEntries(called) as PageAdding; // the same methods
}
