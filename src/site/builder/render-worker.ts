import fs from 'node:fs';
import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { createHooks } from '../../host/hooks.js';
import type { Log } from '../../log.js';
import type { ContentFolder } from '../../store/catalog/entry.js';
import { createArticleCache } from '../index/article-cache.js';
import { readHeaderEntry } from '../index/index-entry.js';
import { articlePage } from '../outputs/article-pages.js';
import { createRenderContext, type RenderContext } from '../render/render-context.js';
import { loadTheme } from '../render/theme.js';
import { bytesOf, stageFile } from '../write/staged-file.js';
import type { RenderAnswer, Rendered, RenderJob, RenderRequest } from './render-pool.js';

type MakeRequest = Extract<RenderRequest, { kind: 'make' }>;

/**
 * Makes staged files of pages for a builder in another thread, reading the articles whose pages they are; runs in a thread
 * of its own. What it cannot make exactly it leaves to the builder, so that errors are reported in one place. No plugin
 * filters pages here.
 */
export function serveRenders(port: MessagePort, content: ContentFolder, log: Log): void {
  const cache = createArticleCache(content);
  let context: RenderContext | undefined;
  /** What the pages that are being made link to. */
  let current: Pick<MakeRequest, 'tags' | 'authors'> | undefined;
  let lacksSlug = false;

  function slugIn(terms: 'tags' | 'authors', name: string): { slug: string } {
    const slug = current?.[terms].get(name);
    if (slug === undefined) lacksSlug = true;
    return { slug: slug ?? '' };
  }

  async function make(job: RenderJob, { stagingDir, root }: MakeRequest): Promise<Rendered> {
    lacksSlug = false;
    const page = job.kind === 'article' ? articlePage(job.article, cache) : job.page;
    if (page === undefined || context === undefined) return { kind: 'declined' };
    const text = await context.render(page);
    if (lacksSlug) return { kind: 'declined' };
    const readingMinutes = page.article?.readingMinutes;
    const bytes = bytesOf(text);
    const size = bytes.length;
    if (size === job.existingSize && fs.readFileSync(join(root, job.file)).equals(bytes))
      return { kind: 'same', size, readingMinutes };
    return { kind: 'staged', staged: stageFile(stagingDir, bytes), readingMinutes };
  }

  async function answer(request: RenderRequest): Promise<RenderAnswer> {
    if (request.kind === 'prepare') {
      const { themeDirs, site, themeHash, navigation } = request;
      const linked = {
        tags: { get: (name: string) => slugIn('tags', name) },
        authors: { get: (name: string) => slugIn('authors', name) },
      };
      const theme = loadTheme(themeDirs, site);
      context = createRenderContext(theme, site, createHooks(log), linked, navigation, []);
      return { kind: 'prepared', alike: theme.hash === themeHash };
    }
    if (request.kind === 'headers') {
      const entries = request.paths.map((path) => readHeaderEntry(content, path) ?? null);
      return { kind: 'headers', entries: JSON.stringify(entries) };
    }
    current = request;
    const made: Rendered[] = [];
    for (const job of request.jobs) {
      try {
        made.push(await make(job, request));
      } catch (error) {
        log.debug({ err: error, page: job.file }, 'a page is left to the builder');
        made.push({ kind: 'declined' });
      }
    }
    return { kind: 'made', made };
  }

  let queue = Promise.resolve();
  port.on('message', (request: RenderRequest) => {
    // A failure ends the thread, of which the builder hears.
    queue = queue.then(async () => port.postMessage(await answer(request)));
  });
}
