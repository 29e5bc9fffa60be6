import fs from 'node:fs';
import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { createHooks } from '../host/hooks.js';
import type { Log } from '../log.js';
import type { ContentFolder } from '../store/entry.js';
import { articlePage } from './article-pages.js';
import { bytesOf, writeDraft } from './draft.js';
import { type Dress, dressUp } from './dress.js';
import type { HelpAnswer, HelperJob, HelperMade, HelpRequest } from './help-messages.js';
import { glimpseEntry } from './index-entry.js';
import { createLarder } from './larder.js';

type MakeRequest = Extract<HelpRequest, { do: 'make' }>;

/**
 * Reads articles and makes drafts of their pages for a builder in another thread; runs in a thread of its own. What
 * is not straightforward is left to the builder, who then meets it again and tells of it.
 */
export function serveHelp(port: MessagePort, content: ContentFolder, log: Log): void {
  const larder = createLarder();
  let dress: Dress | undefined;
  /** What the pages that are being made link to. */
  let current: Pick<MakeRequest, 'tags' | 'authors'> | undefined;
  let isAtALoss = false;

  function slugIn(groups: 'tags' | 'authors', name: string): { slug: string } {
    const slug = current?.[groups].get(name);
    if (slug === undefined) isAtALoss = true;
    return { slug: slug ?? '' };
  }

  async function make(job: HelperJob, { workshop, root }: MakeRequest): Promise<HelperMade> {
    isAtALoss = false;
    const page = articlePage(job, content, larder);
    if (page === undefined || dress === undefined) return { is: 'left' };
    const text = await dress.render(page);
    if (isAtALoss) return { is: 'left' };
    const bytes = bytesOf(text);
    const size = bytes.length;
    if (size === job.standing && fs.readFileSync(join(root, job.file)).equals(bytes))
      return { is: 'same', size };
    return { is: 'draft', draft: writeDraft(workshop, bytes) };
  }

  async function answer(request: HelpRequest): Promise<HelpAnswer> {
    if (request.do === 'dress') {
      const { templatesDir, site, digest } = request;
      const linked = {
        tags: { get: (name: string) => slugIn('tags', name) },
        authors: { get: (name: string) => slugIn('authors', name) },
      };
      dress = dressUp(templatesDir, site, createHooks(log), linked, []);
      return { is: 'dressed', alike: dress.theme.digest === digest };
    }
    if (request.do === 'glimpse') {
      const entries = request.paths.map((path) => glimpseEntry(content, path) ?? null);
      return { is: 'glimpsed', entries: JSON.stringify(entries) };
    }
    current = request;
    const made: HelperMade[] = [];
    for (const job of request.jobs) {
      try {
        made.push(await make(job, request));
      } catch (error) {
        log.debug({ err: error, page: job.file }, 'a page is left to the builder');
        made.push({ is: 'left' });
      }
    }
    return { is: 'made', made };
  }

  let queue = Promise.resolve();
  port.on('message', (request: HelpRequest) => {
    // A failure ends the thread, of which the builder hears.
    queue = queue.then(async () => port.postMessage(await answer(request)));
  });
}
