import fs from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { runPostbuild } from './app/build/postbuild.js';
import { readingYaml } from './article/front-matter/libraries.js';
import { messageOf, PressmarkError } from './errors.js';
import { entriesBelow } from './fs/files-below.js';
import { READS_HTML } from './generators/astro/ask.js';
import { entryId } from './generators/astro/mapping.js';

/** The parts of Astro's integration and loader API that are used here. Pressmark does not depend on Astro. */
interface Logger {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** An integration, for `integrations` of `astro.config.mjs`. */
export interface PressmarkIntegration {
  readonly name: string;
  readonly hooks: {
    'astro:config:done'(options: { config: { root: URL } }): void;
    'astro:build:done'(options: { dir: URL; logger: Logger }): Promise<void>;
  };
}

/**
 * Checks and completes the articles' pages at the end of `astro build`, like `pressmark postbuild`: JSON-LD in the head, the
 * item comment in the article. The build fails if an article's page is missing.
 */
export default function pressmark(): PressmarkIntegration {
  let root = process.cwd();
  return {
    name: 'pressmark',
    hooks: {
      'astro:config:done': ({ config }) => {
        root = fileURLToPath(config.root);
      },
      'astro:build:done': async ({ dir, logger }) => {
        const { missing, warnings, changed } = await runPostbuild(root, fileURLToPath(dir));
        for (const warning of warnings) logger.warn(warning);
        if (missing.length > 0)
          throw new PressmarkError('POSTBUILD_FAILED', `Pressmark: ${missing.join('\n')}`);
        logger.info(`${changed} pages completed`);
      },
    },
  };
}

/** The options of Astro's `glob()` that the loader needs. */
export interface ArticlesOptions {
  /** The folder of the collection, relative to the site, such as `./src/content/blog`. */
  readonly base: string | URL;
  /** The Markdown files, such as `**\/*.md`. The folder's `.html` files are read as well. */
  readonly pattern: string | string[];
  /** Makes the ids of files. Default: Astro's own, from their names. */
  readonly generateId?: (options: { entry: string; base: URL; data: Record<string, unknown> }) => string;
}

interface Entry {
  readonly id: string;
  readonly data: Record<string, unknown>;
  readonly body?: string | undefined;
  readonly filePath?: string | undefined;
  readonly digest?: number | string | undefined;
  readonly rendered?: { html: string; metadata?: Record<string, unknown> } | undefined;
}

interface Store {
  get(id: string): Entry | undefined;
  set(entry: Entry): boolean;
  delete(id: string): void;
  keys(): string[];
}

interface Watcher {
  add(path: string): unknown;
  on(event: 'add' | 'change' | 'unlink', listener: (path: string) => void): unknown;
}

interface LoaderContext {
  readonly store: Store;
  readonly meta: { set(key: string, value: string): void };
  readonly logger: Logger;
  readonly config: { readonly root: URL };
  readonly watcher?: Watcher | undefined;
  parseData(entry: {
    id: string;
    data: Record<string, unknown>;
    filePath?: string;
  }): Promise<Record<string, unknown>>;
  generateDigest(data: string): number | string;
}

/** A loader for `defineCollection`. */
export interface ArticlesLoader {
  readonly name: string;
  /** Astro's type of the context differs between versions. */
  load(context: never): Promise<void>;
}

/**
 * A loader for a collection of articles: Markdown files by Astro's own `glob()`, and `.html` files, whose bodies are printed
 * unchanged. In `astro dev`, changed files are read again.
 *
 * @param glob from `astro/loaders` of the site's Astro.
 * @param options of `glob()`.
 */
export function articles<Options extends ArticlesOptions>(
  glob: (options: Options) => { load(context: never): Promise<void> },
  options: Options,
): ArticlesLoader {
  return {
    name: 'pressmark-articles',
    load: async (context: LoaderContext) => {
      const { store, meta } = context;
      meta.set(READS_HTML, 'true'); // for `init`
      const isHtml = (id: string) => store.get(id)?.filePath?.endsWith('.html') ?? false;
      // glob() deletes entries that it has not read itself, so the entries of HTML files are hidden from it.
      const markdownStore = { ...store, keys: () => store.keys().filter((id) => !isHtml(id)) };
      await glob(options).load({ ...context, store: markdownStore } as never);
      await loadHtml(context, options);
    },
  };
}

async function loadHtml(context: LoaderContext, options: ArticlesOptions): Promise<void> {
  const { store, config, logger, watcher } = context;
  const base = new URL(options.base, config.root);
  if (!base.pathname.endsWith('/')) base.pathname += '/';
  const folder = fileURLToPath(base);
  const ids = new Map<string, string>();

  async function read(path: string): Promise<void> {
    const text = await fs.readFile(path, 'utf8');
    const { data, body } = splitHtmlFile(text, path);
    const entry = relative(folder, path).replaceAll(sep, '/');
    const id = options.generateId?.({ entry, base, data }) ?? entryId({ path: entry, data });
    const previous = ids.get(path);
    if (previous !== undefined && previous !== id) store.delete(previous);
    const filePath = relative(fileURLToPath(config.root), path).replaceAll(sep, '/');
    const existing = store.get(id);
    const digest = context.generateDigest(text);
    if (existing?.filePath === filePath && existing.digest === digest) {
      ids.set(path, id);
      return;
    }
    // The HTML file's entry may be left from an earlier load; only ids holds the ids of this load.
    if (
      existing?.filePath !== undefined &&
      existing.filePath !== filePath &&
      (!existing.filePath.endsWith('.html') || fileWith(id, path) !== undefined)
    )
      logger.warn(`${filePath} and ${existing.filePath} have the id ${id}; the page displays ${filePath}`);
    const parsed = await context.parseData({ id, data, filePath: path });
    const metadata = {
      headings: [],
      frontmatter: data,
      imagePaths: [],
      localImagePaths: [],
      remoteImagePaths: [],
    };
    store.delete(id);
    store.set({ id, data: parsed, body, filePath, digest, rendered: { html: body, metadata } });
    ids.set(path, id);
  }

  /** The id's entry, if it belongs to another file. */
  const fileWith = (id: string, path: string) =>
    [...ids].find(([other, otherId]) => otherId === id && other !== path)?.[0];

  const isArticle = (path: string) =>
    path.startsWith(folder) &&
    path.endsWith('.html') &&
    !relative(folder, path)
      .split(sep)
      .some((name) => /^[._]/.test(name));
  const paths = [...entriesBelow(folder).keys()].map((name) => join(folder, name)).filter(isArticle);
  for (const path of paths) await read(path);
  const present = new Set(ids.values());
  for (const id of store.keys())
    if (store.get(id)?.filePath?.endsWith('.html') && !present.has(id)) store.delete(id);

  if (watcher === undefined) return;
  watcher.add(folder);
  const reread = (path: string) => {
    if (!isArticle(path)) return;
    const name = pathToFileURL(path).href.slice(base.href.length);
    read(path).then(
      () => logger.info(`Reloaded data from ${name}`),
      (error: unknown) => logger.error(`Failed to reload ${name}: ${messageOf(error)}`),
    );
  };
  watcher.on('add', reread);
  watcher.on('change', reread);
  watcher.on('unlink', (path) => {
    const id = ids.get(path);
    if (id === undefined) return;
    ids.delete(path);
    store.delete(id);
    const other = fileWith(id, path);
    if (other !== undefined) reread(other);
  });
}

/** Splits an article file into its front matter, with dates as Astro reads them, and its unchanged body. */
function splitHtmlFile(text: string, path: string): { data: Record<string, unknown>; body: string } {
  const found = /^\ufeff?---[ \t]*\r?\n([\s\S]*?)(?<=\n)---[ \t]*(?:\r?\n|$)/.exec(text);
  if (found?.index !== 0)
    throw new PressmarkError(
      'FRONT_MATTER_INVALID',
      `${path}: an .html file of a collection starts with YAML between two lines ---`,
    );
  const data: unknown = readingYaml().load(found[1] ?? '', { filename: path });
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    throw new PressmarkError(
      'FRONT_MATTER_INVALID',
      `${path}: the front matter must be a map of keys and values`,
    );
  return { data: { ...data }, body: text.slice(found[0].length) };
}
