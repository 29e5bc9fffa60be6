import fs from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import { htmlTokens } from '../../article/text/html-tokens.js';
import type { Settings } from '../../config/load.js';
import { siteSchema } from '../../config/site-schema.js';
import { headEnd, insert } from '../../deploy/build/page-text.js';
import { isBelow, replaceFile, statusAt } from '../../deploy/folder-files.js';
import { messageOf, PressmarkError, quote } from '../../errors.js';
import { guardMeanwhile } from '../../host/guard.js';
import { startHost } from '../../host/host.js';
import type { PageContext, SiteInfo } from '../../host/pages/page-types.js';
import { describeError, type Log } from '../../log.js';
import { openSiteArticles } from '../../site/index/articles.js';
import { siteIndex } from '../../site/index/site-index.js';
import { articlePage } from '../../site/outputs/articles.js';
import { pluginFiles } from '../../site/outputs/plugin-files.js';
import { siteInfoOf } from '../../site/render/site-info.js';
import { createCatalog } from '../../store/catalog/catalog.js';
import { walk } from '../../store/catalog/scan.js';
import { articleReader } from '../builder/site-builder.js';
import { contentOf } from '../content/content.js';
import { contentPrefix } from '../content/folders.js';
import { noteFigures } from '../plugins/figures.js';
import { AFTER_BUILD, siteOfPlugins } from '../plugins/host-context.js';
import { loadPlugins } from '../plugins/load-plugins.js';

/** The plugins' work on the pages of a site that another generator has built. */
export interface PagePlugins {
  /**
   * Runs the plugins' filters on the page of an article; a filter that fails is skipped.
   *
   * @param path the article's file, below the content folder.
   */
  filtered(html: string, path: string): Promise<string>;
  /** Writes the files that plugins add to the site. */
  writeFiles(output: string, signal?: AbortSignal): Promise<void>;
  /** The plugins' log lines from `warn` on, failed filters, and files that could not be made. */
  readonly warnings: readonly string[];
  close(): Promise<void>;
}

/**
 * Sets up the plugins of a site for the step after another generator's build.
 *
 * @param siteDir the site's folder, or the folder of the copy that was built.
 * @param excluded articles that the output was built without, by their paths below the content folder.
 * @returns undefined if no plugin has work there.
 * @throws PressmarkError PLUGIN_INVALID, naming the plugin that cannot be set up.
 */
export async function openPagePlugins(
  settings: Settings,
  siteDir: string,
  excluded: ReadonlySet<string>,
): Promise<PagePlugins | undefined> {
  const warnings: string[] = [];
  const log = pino(
    { level: 'warn', base: null, serializers: { err: describeError } },
    { write: (line: string) => void warnings.push(sentenceOf(JSON.parse(line))) },
  );
  const release = guardMeanwhile(log);
  try {
    const opened = await setUp(settings, siteDir, excluded, log, warnings);
    if (opened === undefined) release();
    return opened && { ...opened, warnings, close: () => opened.close().finally(release) };
  } catch (error) {
    release();
    throw error;
  }
}

async function setUp(
  settings: Settings,
  siteDir: string,
  excluded: ReadonlySet<string>,
  log: Log,
  warnings: string[],
): Promise<Omit<PagePlugins, 'warnings'> | undefined> {
  const plugins = await loadPlugins(settings.dir, settings.plugins);
  if (plugins.every(({ plugin }) => plugin.pages === undefined)) return undefined;
  const around = siteOfPlugins(settings);
  const content = { ...contentOf(settings), root: resolve(siteDir, settings.content) };
  const catalog = createCatalog();
  const host = await startHost(plugins, {
    face: 'pages',
    ...around,
    log,
    articles: articleReader(content, catalog, contentPrefix(settings)),
  });
  const { hooks, outputs } = host;
  if (outputs.length === 0 && !AFTER_BUILD.some(hooks.hasFilter)) {
    await host.close();
    return undefined;
  }
  const site = infoOfSite(settings);
  // Silent: the step after the build reports malformed files itself.
  const articles = openSiteArticles(content, site, catalog, pino({ level: 'silent' }));
  for (const path of walk(content)) {
    if (!excluded.has(path)) articles.read([path]);
    await nextTurn();
  }
  // An article whose address is unknown has no page to change.
  const listed = [...articles.entries.values()].filter(({ address }) => address?.kind !== 'unknown');
  const index = siteIndex(listed, new Map(), () => false);

  async function filtered(html: string, path: string): Promise<string> {
    const post = index.find(path);
    const text = post && articles.textAt(post);
    if (post === undefined || text === undefined) return html;
    const { path: address, ...shown } = articlePage(post, index, text);
    const context: PageContext = { ...shown, site, page: null, head: '', extra: {} };
    const isMissing = (what: string) =>
      void warnings.push(`${post.url}: ${what}; the page is made without it`);
    const onFailure = ({ message }: PressmarkError) => isMissing(message);
    let page = html;
    const head = await hooks.applyFilters('page.head', '', context, onFailure);
    if (head.trim() !== '') {
      const end = headEnd(htmlTokens(page));
      if (end === undefined) isMissing('the page has no </head> for what plugins add to it');
      else page = insert(page, end, head);
    }
    const info = { kind: 'article', path: address } as const;
    return hooks.applyFilters('page.html', page, info, onFailure, faultInPage);
  }

  async function writeFiles(output: string, signal?: AbortSignal): Promise<void> {
    for (const added of outputs) {
      for (const { path, render } of pluginFiles(added, site, log)({ index, renderer: { key: '' } })) {
        signal?.throwIfAborted();
        try {
          const made = await render();
          if (made !== undefined) put(output, path, Buffer.from(made), added.output.path !== '');
        } catch (error) {
          if (!(error instanceof PressmarkError)) throw error;
          warnings.push(`${error.message}; ${path} stays as it was`);
        }
      }
    }
  }

  const noteLast = noteFigures(around.stateDir, 'pages', host, plugins, log);
  const close = async () => {
    await noteLast();
    await host.close();
  };
  return { filtered, writeFiles, close };
}

/** Without the end of its head, a page cannot take the JSON-LD or what other plugins add. */
function faultInPage(html: string): string | undefined {
  return headEnd(htmlTokens(html)) === undefined ? 'a page whose head has no end' : undefined;
}

/** The site data for page filters, for a site of another generator. */
export function infoOfSite(settings: Settings): SiteInfo {
  const { url, language, timeZone } = siteOfPlugins(settings).site;
  const { host: title } = new URL(url);
  return siteInfoOf(url, { ...siteSchema.parse({ title, language, timeZone }), search: false });
}

/**
 * Writes a file of the output.
 *
 * @param replaces whether it may replace a file of the generator.
 * @throws PressmarkError FILTER_FAILED
 */
export function put(output: string, path: string, bytes: Buffer, replaces: boolean): void {
  const target = join(output, path);
  let existing = dirname(target);
  while (!fs.existsSync(existing)) existing = dirname(existing);
  if (!isBelow(fs.realpathSync(output), fs.realpathSync(existing)))
    throw new PressmarkError('FILTER_FAILED', `${quote(path)} leads out of the output folder`);
  if (!replaces && statusAt(target) !== undefined) return;
  try {
    fs.mkdirSync(dirname(target), { recursive: true });
    replaceFile(target, bytes);
  } catch (error) {
    throw new PressmarkError('FILTER_FAILED', `${quote(path)} cannot be written: ${messageOf(error)}`);
  }
}

/** A line of the log as a sentence. */
function sentenceOf(line: {
  readonly msg?: string;
  readonly plugin?: string;
  readonly reason?: string;
  readonly err?: { readonly message?: string };
}): string {
  const { msg = '', plugin, reason, err } = line;
  const why = reason ?? err?.message;
  const isNamed = plugin === undefined || msg.startsWith(`plugin ${plugin} `);
  return `${isNamed ? '' : `plugin ${plugin}: `}${msg}${why === undefined ? '' : `: ${why}`}`;
}
