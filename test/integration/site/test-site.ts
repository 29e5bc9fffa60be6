import fs from 'node:fs';
import os from 'node:os';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import type { ExecutionContext } from 'ava';
import { pino } from 'pino';
import type { Article } from '../../../src/article/article.js';
import { encodeFirst } from '../../../src/article/codec.js';
import { createHooks, type Hooks } from '../../../src/host/hooks.js';
import type { Log } from '../../../src/log.js';
import { patternLayout } from '../../../src/presets/layout.js';
import { type Builder, createBuilder, type SiteOptions } from '../../../src/site/build.js';
import type { SiteSettings } from '../../../src/site/site-info.js';
import { siteInfo } from '../../support/site-info.js';

/** A site in a temporary folder. */
export interface TestSite {
  readonly dir: string;
  readonly options: SiteOptions;
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

export function testSite(
  t: ExecutionContext,
  {
    url = SITE_URL,
    dir,
    settings,
    pageSize,
    addHooks,
  }: {
    pageSize?: number;
    url?: string;
    dir?: string;
    settings?: Partial<SiteSettings>;
    addHooks?: (hooks: Hooks) => void;
  } = {},
): TestSite {
  const root = dir ?? fs.mkdtempSync(join(os.tmpdir(), 'pressmark-site-'));
  if (dir === undefined) t.teardown(() => fs.rmSync(root, { recursive: true, force: true }));
  const logged: string[] = [];
  const log = gatheringLog(logged);
  const hooks = createHooks(log);
  addHooks?.(hooks);
  const options: SiteOptions = {
    content: {
      root: join(root, 'content'),
      layout: patternLayout(url, 'articles/:slug.md', '/articles/:slug/'),
    },
    outputDir: join(root, 'public'),
    stateDir: join(root, '.pressmark'),
    templatesDir: join(root, 'templates'),
    site: siteInfo(url, settings),
    ...(pageSize !== undefined && { pageSize }),
    log,
    hooks,
  };
  fs.mkdirSync(options.content.root, { recursive: true });

  return {
    dir: root,
    options,
    builder: createBuilder(options),
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

/** Writes a file and the folders above it. */
export function put(path: string, text: string): void {
  fs.mkdirSync(dirname(path), { recursive: true });
  fs.writeFileSync(path, text);
}

/** The text of an article's file. */
export function fileOf(slug: string, siteUrl: string, article: Partial<Article>): string {
  const html = `<p>The body of ${slug}</p>\n<!-- svc:item:${slug} -->`;
  return encodeFirst({
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
