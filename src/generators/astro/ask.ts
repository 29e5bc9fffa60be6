import { nodeCommand } from '../inspect/ask.js';

/** The key that the loader of `pressmark/astro` sets in the metadata of its collection, which Astro keeps with the entries. */
export const READS_HTML = 'pressmark-html';

/** Makes Astro load its configuration, its routes and its content. Astro then writes `.astro/` and nothing else. */
export const ASK = nodeCommand(`
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { sync } from 'astro';
const root = process.cwd();
const below = (url) => path.relative(root, fileURLToPath(url)).split(path.sep).join('/');
const found = { routes: [], schemas: {}, entries: {}, htmlFiles: [] };
let caches = [];
await sync({
  root,
  logLevel: 'error',
  integrations: [{
    name: 'pressmark',
    hooks: {
      'astro:config:done': ({ config }) => {
        const { site, base, trailingSlash, build, image } = config;
        found.config = {
          site, base, trailingSlash, format: build.format, outDir: below(config.outDir), srcDir: below(config.srcDir),
          fetchesImages: image.domains.length + image.remotePatterns.length > 0,
        };
        caches = [fileURLToPath(config.cacheDir), path.join(root, '.astro')];
      },
      'astro:routes:resolved': ({ routes }) => {
        found.routes = routes.filter(({ type }) => type === 'page').map(({ pattern, params }) => ({ pattern, params }));
      },
    },
  }],
});
const schemas = path.join(root, '.astro/collections');
for (const name of fs.existsSync(schemas) ? fs.readdirSync(schemas) : [])
  if (name.endsWith('.schema.json'))
    found.schemas[name.slice(0, -'.schema.json'.length)] = JSON.parse(fs.readFileSync(path.join(schemas, name), 'utf8'));
const store = caches.map((folder) => path.join(folder, 'data-store.json')).find((file) => fs.existsSync(file));
const flat = store === undefined ? [] : JSON.parse(fs.readFileSync(store, 'utf8'));
const pairs = (value) => Array.isArray(value) && value[0] === 'Map' ? value.slice(1) : [];
const top = pairs(flat[0]);
for (let at = 0; at < top.length; at += 2) {
  const name = flat[top[at]];
  const entries = pairs(flat[top[at + 1]]);
  if (name.startsWith('meta:')) {
    if (entries.some((index) => flat[index] === '${READS_HTML}')) found.htmlFiles.push(name.slice('meta:'.length));
    continue;
  }
  found.entries[name] = entries
    .filter((_, index) => index % 2 === 1)
    .map((index) => flat[index])
    .map((entry) => ({ id: flat[entry?.id], path: flat[entry?.filePath], name: flat[flat[entry?.data]?.name] }))
    .filter(({ path }) => typeof path === 'string');
}
answer(found);
`);

/** A page route of the site. */
export interface Route {
  /** Such as `/blog/[...slug]`. */
  readonly pattern: string;
  readonly params: readonly string[];
}

/** An entry of a collection. */
export interface Entry {
  readonly id: string;
  /** Relative to the site's folder. */
  readonly path: string;
  /** The value of its key `name`, such as an author's name. */
  readonly name?: unknown;
}

/** Astro's answer. */
export interface AstroAnswer {
  readonly config: {
    readonly site?: string;
    readonly base: string;
    readonly trailingSlash: string;
    readonly format: string;
    readonly outDir: string;
    readonly srcDir: string;
    readonly fetchesImages: boolean;
  };
  readonly routes: readonly Route[];
  /** JSON schemas by the names of collections. */
  readonly schemas: Readonly<Record<string, unknown>>;
  readonly entries: Readonly<Record<string, readonly Entry[]>>;
  /** The collections that the loader of `pressmark/astro` reads, with `.html` files. */
  readonly htmlFiles: readonly string[];
}

/** The answer of a site without a configuration. */
const USUAL: AstroAnswer = {
  config: {
    base: '/',
    trailingSlash: 'ignore',
    format: 'directory',
    outDir: 'dist',
    srcDir: 'src',
    fetchesImages: false,
  },
  routes: [],
  schemas: {},
  entries: {},
  htmlFiles: [],
};

/** Reads the answer, with defaults for what is missing. */
export function answerIn(answer: Partial<AstroAnswer>): AstroAnswer {
  return { ...USUAL, ...answer, config: { ...USUAL.config, ...answer.config } };
}
