import { setTimeout } from 'node:timers/promises';
import { type AdminClient, adminOf } from '../support/admin.js';
import { signedRequests } from './deliveries.js';
import { count, median, milliseconds, type Row, table } from './figures.js';
import { load, once } from './load.js';
import { startOurs } from './receivers.js';
import { seed } from './scale.js';
import type { Workspace } from './workspace.js';

const ARTICLES = 100_000;
/** A page of the admin answers within this time, in milliseconds. */
const LONGEST_MS = 100;
const VISITS = 20;
const SLICES = 20;
const PER_SLICE = 50;
const CONNECTIONS = 4;
/** How often somebody asks for a page, while deliveries come. */
const CLICK_MS = 200;

/** The pages about articles; `{id}` is one of them. */
const PAGES: Readonly<Record<string, string>> = {
  'the list': 'articles',
  'the list by two words': 'articles?text=article+999',
  'the last page by title': 'articles?sort=title&page=2000',
  'the list by state and tag': 'articles?state=live&tag=garden',
  'an article': 'articles/article?id={id}',
  'its form': 'articles/edit?id={id}',
};

/** What the pages about articles take at 100,000 of them, and what they cost the deliveries that come beside them. */
export async function admin(workspace: Workspace): Promise<{ text: string; rows: Row[] }> {
  const site = seed(workspace.fresh('admin'), ARTICLES);
  const receiver = await startOurs(site);
  try {
    const ada = await adminOf({ dir: site, origin: `http://127.0.0.1:${receiver.port}` });
    const began = performance.now();
    for (;;) {
      const { text } = await ada.get('articles');
      if (!text.includes('id="reading"')) break;
      await setTimeout(1_000);
    }
    console.error(`admin: ${count(ARTICLES)} files read in ${count((performance.now() - began) / 1_000)} s`);
    const [, id = ''] = /articles\/article\?id=([^"&]+)/.exec((await ada.get('articles')).text) ?? [];
    const rows: Row[] = [];
    for (const [what, page] of Object.entries(PAGES)) {
      const ms = await medianTime(ada, page.replace('{id}', id));
      rows.push({
        what: `${what}, at ${count(ARTICLES)} articles`,
        ours: milliseconds(ms),
        against: milliseconds(LONGEST_MS),
        ratio: ms / LONGEST_MS,
        goal: { kind: 'at most', value: 1 },
      });
    }
    rows.push(await besidePages(receiver.port, ada));
    return { text: table(['the admin', 'median', 'against'], rows), rows };
  } finally {
    await receiver.stop();
  }
}

async function medianTime(ada: AdminClient, page: string): Promise<number> {
  const times: number[] = [];
  for (let visit = 0; visit < VISITS; visit++) {
    const began = performance.now();
    const { status } = await ada.get(page);
    if (status !== 200) throw new Error(`${page}: ${status}`);
    times.push(performance.now() - began);
  }
  return median(times);
}

/** The median of a publish, with somebody who asks for the list again and again and without, a slice in turn. */
async function besidePages(port: number, ada: AdminClient): Promise<Row> {
  const requests = signedRequests(0, 2 * SLICES * PER_SLICE);
  const seen = { quiet: [] as number[], asked: [] as number[] };
  for (let slice = 0; slice < 2 * SLICES; slice++) {
    const isAsked = slice % 2 === 1;
    const next = once(requests.slice(slice * PER_SLICE, (slice + 1) * PER_SLICE));
    const clicks = new AbortController();
    const asking = isAsked ? ask(ada, clicks.signal) : Promise.resolve();
    const { latencies } = await load({ port, connections: CONNECTIONS, seconds: 30, next });
    clicks.abort();
    await asking;
    seen[isAsked ? 'asked' : 'quiet'].push(...latencies);
  }
  const [asked, quiet] = [median(seen.asked), median(seen.quiet)];
  return {
    what: `a publish at ${CONNECTIONS} connections, while somebody looks through the articles`,
    ours: milliseconds(asked),
    against: `${milliseconds(quiet)} without`,
    ratio: asked / quiet,
    goal: { kind: 'at most', value: 1.1 },
  };
}

async function ask(ada: AdminClient, signal: AbortSignal): Promise<void> {
  const pages = Object.values(PAGES).filter((page) => !page.includes('{id}'));
  for (let n = 0; !signal.aborted; n++) {
    await ada.get(pages[n % pages.length] ?? '');
    await setTimeout(CLICK_MS, undefined, { signal }).catch(() => undefined);
  }
}
