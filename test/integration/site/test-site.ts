import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import type { ExecutionContext } from 'ava';
import { pino } from 'pino';
import type { Article } from '../../../src/article/article.js';
import { patternLayout } from '../../../src/generators/layout.js';
import type { FilterHandler } from '../../../src/host/hooks/calls.js';
import type { FilterName } from '../../../src/host/hooks/hook-types.js';
import { createHooks } from '../../../src/host/hooks/hooks.js';
import { noAdditions } from '../../../src/host/pages/page-additions.js';
import type { Log } from '../../../src/log.js';
import { type Builder, createBuilder } from '../../../src/site/builder/builder.js';
import type { SiteOptions } from '../../../src/site/options.js';
import type { SiteSettings } from '../../../src/site/render/site-info.js';
import { contentFolder } from '../../../src/store/catalog/content-folder.js';
import { encode } from '../../support/plain-files.js';
import { siteInfo } from '../../support/site-info.js';
import { tempDir } from '../../support/temp-dir.js';

/** What a site is built from, and its own templates. */
export type TestOptions = SiteOptions & { readonly templatesDir: string };

/** A site in a temporary folder. */
export interface TestSite {
  readonly dir: string;
  readonly options: TestOptions;
  readonly builder: Builder;
  /** What was logged at `warn` and above. */
  readonly logged: string[];
  /** Writes an article file; what is not given is made up. */
  write(slug: string, article?: Partial<Article>): string;
  /** A page or file of the output. */
  page(file: string): string;
  has(file: string): boolean;
  /** All files of the output and their texts. */
  output(): Record<string, string>;
}

export const SITE_URL = 'https://x.example';

/** A log whose lines are gathered. */
export function gatheringLog(lines: string[]): Log {
  const destination = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  return pino({ level: 'warn' }, destination);
}

/** An article's file path below the content folder. */
export function pathOf(slug: string): string {
  return `articles/${slug}.md`;
}

export interface TestSiteOptions {
  readonly pageSize?: number;
  readonly url?: string;
  readonly settings?: Partial<SiteSettings>;
  readonly termSlug?: SiteOptions['termSlug'];
  /** By the plugins that add them. */
  readonly filters?: Readonly<Record<string, { readonly [N in FilterName]?: FilterHandler<N> }>>;
}

/** A site in a new folder, or in `dir`; the new folder goes away with the test. */
export function testSite(
  t: ExecutionContext,
  { dir, ...options }: TestSiteOptions & { readonly dir?: string } = {},
): TestSite {
  return siteIn(dir ?? tempDir(t), options);
}

/** The site in a folder. */
export function siteIn(
  root: string,
  { url = SITE_URL, settings, pageSize = 20, termSlug, filters = {} }: TestSiteOptions = {},
): TestSite {
  const logged: string[] = [];
  const log = gatheringLog(logged);
  const hooks = createHooks(log, { face: 'pages', mostFailures: 3 });
  for (const [plugin, handlers] of Object.entries(filters))
    for (const [name, handler] of Object.entries(handlers))
      hooks.addFilter(name as FilterName, handler as FilterHandler<FilterName>, { plugin });
  const options: TestOptions = {
    content: contentFolder(
      join(root, 'content'),
      patternLayout(url, 'articles/:slug.md', '/articles/:slug/'),
    ),
    outputDir: join(root, 'public'),
    stateDir: join(root, '.pressmark'),
    staticDir: join(root, 'static'),
    templatesDir: join(root, 'templates'),
    themeDirs: [{ kind: 'theme', dir: join(root, 'templates') }],
    site: siteInfo(url, settings),
    additions: noAdditions(),
    outputs: [],
    hosting: [],
    pageSize,
    termSlug,
    log,
    hooks,
  };
  fs.mkdirSync(options.content.root, { recursive: true });

  return {
    dir: root,
    options,
    builder: builderAfterOthers(options),
    logged,
    write: (slug, article = {}) => {
      const path = pathOf(slug);
      put(join(options.content.root, path), fileOf(slug, url, article));
      return path;
    },
    page: (file) => fs.readFileSync(join(options.outputDir, file), 'utf8'),
    has: (file) => fs.existsSync(join(options.outputDir, file)),
    output: () => filesIn(options.outputDir),
  };
}

/** The last builder of each site: one process builds a site, and lets go of it before the next one does. */
const builders = new Map<string, Builder>();

/** A builder that closes the one before it on the same site when it begins. */
export function builderAfterOthers(options: SiteOptions): Builder {
  const builder = createBuilder(options);
  const former = builders.get(options.outputDir);
  builders.set(options.outputDir, builder);
  return {
    ...builder,
    build: async (work, request) => {
      await former?.close();
      return builder.build(work, request);
    },
  };
}

/** What a builder that knows nothing makes of the same content. */
export async function builtAnew(options: SiteOptions): Promise<Record<string, string>> {
  const folder = fs.mkdtempSync(join(options.stateDir, '..', 'anew-'));
  const outputDir = join(folder, 'public');
  const [stateDir, trash] = [join(folder, 'state'), join(options.stateDir, 'trash')];
  if (fs.existsSync(trash)) fs.cpSync(trash, join(stateDir, 'trash'), { recursive: true });
  const builder = createBuilder({ ...options, outputDir, stateDir });
  const { failed } = await builder.build('all');
  if (failed > 0) throw new Error(`${failed} pages of the clean build failed`);
  await builder.close();
  const files = filesIn(outputDir);
  fs.rmSync(folder, { recursive: true });
  return files;
}

/** Closes a builder, and leaves its state as it was before, as a kill does. */
export async function endAsIfKilled(stateDir: string, builder: Builder): Promise<void> {
  const paths = ['site.json', 'site.building'].map((name) => join(stateDir, name));
  const texts = paths.map((path) => (fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : undefined));
  await builder.close();
  for (const [index, path] of paths.entries()) {
    const text = texts[index];
    if (text === undefined) fs.rmSync(path, { force: true });
    else fs.writeFileSync(path, text);
  }
}

/** Writes a file and the folders above it. */
export function put(path: string, text: string): void {
  fs.mkdirSync(dirname(path), { recursive: true });
  fs.writeFileSync(path, text);
}

/** The text of an article's file. */
export function fileOf(slug: string, siteUrl: string, article: Partial<Article>): string {
  const html = `<p>The body of ${slug}</p>\n<!-- svc:item:${slug} -->`;
  return encode({
    id: slug,
    slug,
    title: `Title of ${slug}`,
    description: `About ${slug}`,
    date: '2026-11-02T08:00:00Z',
    updated: null,
    author: 'Ada',
    tags: ['One'],
    keyword: '',
    image: null,
    url: `${siteUrl}/articles/${slug}/`,
    jsonLd: `<script type="application/ld+json">{"name":"${slug}"}</script>`,
    contentHtml: html,
    body: html,
    extra: {},
    ...article,
  }).text;
}

/** Every file below a folder, by its path. */
export function filesIn(root: string): Record<string, string> {
  const names = fs.readdirSync(root, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => fs.statSync(join(root, name)).isFile()).sort();
  return Object.fromEntries(files.map((name) => [name, fs.readFileSync(join(root, name), 'utf8')]));
}
