import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type AdminClient, adminOf } from '../support/admin.js';
import { signedRequests } from './deliveries.js';
import { count, median, milliseconds, type Row, table } from './figures.js';
import { fastImport, makeRepository } from './git-repository.js';
import { load, once } from './load.js';
import { type Receiver, startOurs } from './receivers.js';
import type { Workspace } from './workspace.js';

const ARTICLES = 100_000;
/** The last of them have each a commit, through which git goes for the versions of an article. */
const COMMITS = 2_000;
/** A page of the admin answers within this time, in milliseconds. */
const LONGEST_MS = 100;
const VISITS = 21;
/** Deliveries that have come before. */
const EARLIER = 60;
/** Slices of deliveries with somebody who looks at pages, and as many without, in turn. */
const SLICES = 10;
const PER_SLICE = 200;
const CONNECTIONS = 4;
/** Twice a second is faster than anybody reads, in milliseconds. */
const CLICK_MS = 500;
/** How long doctor is waited for, in milliseconds: it takes a processor meanwhile. */
const DOCTOR_MS = 90_000;

/** The pages, by their addresses below the admin; `{id}` is an article, `{key}` a delivery. */
const PAGES: Readonly<Record<string, string>> = {
  overview: '',
  'the list': 'articles',
  'the list by two words': 'articles?text=folded+999',
  'the last page by title': 'articles?sort=title&page=2000',
  'the list by state and tag': 'articles?state=live&tag=benchmark',
  'the list of what people edited': 'articles?kind=edited',
  'an article': 'articles/article?id={id}',
  'what a version differs in': 'articles/compare?id={id}&from={commit}&to={revision}',
  'its form': 'articles/edit?id={id}',
  'a new article': 'articles/new',
  'the trash': 'articles/trash',
  deliveries: 'deliveries',
  'a delivery': 'deliveries/one?key={key}',
  builds: 'builds',
  git: 'git',
  plugins: 'plugins',
  setup: 'setup',
  users: 'users',
  'what was done': 'users/log',
  'your account': 'account',
};

/** The pages that somebody looks at in turn while deliveries come; the others are one group more. */
const GROUPS: Readonly<Record<string, RegExp>> = {
  'the overview': /^overview/,
  lists: /^the l/,
  'an article and its form': /^an article|^its form/,
  deliveries: /deliver/,
  'builds and git': /^builds|^git/,
};

/** What each page takes at 100,000 articles in a git repository, and what it costs the deliveries that come beside it. */
export async function admin(workspace: Workspace): Promise<{ text: string; rows: Row[] }> {
  const site = workspace.fresh('admin');
  await step('the site is made', () => makeCorpus(site));
  const receiver = await step('every file is read', () => startOurs(site));
  try {
    const { port } = receiver;
    await load({ port, connections: 1, seconds: 60, next: once(signedRequests(0, EARLIER)) });
    const ada = await adminOf({ dir: site, origin: `http://127.0.0.1:${port}` });
    if (!(await ada.get('articles')).text.includes(count(ARTICLES + EARLIER)))
      throw new Error('the list does not have all articles');
    await step('doctor looks', () => untilChecked(ada));
    const pages = await addresses(ada, site);
    const rows = await step('pages are asked for', () => pageRows(receiver, ada, pages));
    rows.push(...(await step('deliveries come beside them', () => besideRows(port, ada, pages))));
    return { text: table([`the admin at ${count(ARTICLES)} articles`, 'ours', 'against'], rows), rows };
  } finally {
    await receiver.stop();
  }
}

async function step<T>(what: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const result = await work();
  console.error(`admin: ${what}: ${((performance.now() - began) / 1_000).toFixed(1)} s`);
  return result;
}

/** A repository with short articles over five years of months, all committed. */
async function makeCorpus(site: string): Promise<void> {
  fs.writeFileSync(join(site, 'pressmark.config.json'), '{ "site": false }\n');
  const repository = makeRepository(site, ARTICLES - COMMITS);
  await fastImport(repository, repository.nextArticles(COMMITS));
  repository.git('merge', '--quiet', '--ff-only', 'imported');
}

async function untilChecked(ada: AdminClient): Promise<void> {
  const end = performance.now() + DOCTOR_MS;
  while (performance.now() < end && !(await ada.get('')).text.includes('Checked <time'))
    await setTimeout(500);
}

/** The pages with an article that was delivered, and its delivery. */
async function addresses(ada: AdminClient, site: string): Promise<[what: string, page: string][]> {
  const [, id = ''] = /articles\/article\?id=([^"&]+)/.exec((await ada.get('articles')).text) ?? [];
  const [, key = ''] = /deliveries\/one\?key=([^"&]+)/.exec((await ada.get('deliveries')).text) ?? [];
  const [, revision = ''] =
    /name="base" value="([^"]+)"/.exec((await ada.get(`articles/article?id=${id}`)).text) ?? [];
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: site, encoding: 'utf8' }).trim();
  const values: Readonly<Record<string, string>> = { id, key, revision, commit };
  const filled = (page: string) => page.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
  return Object.entries(PAGES).map(([what, page]) => [what, filled(page)]);
}

/** Each page in turn, again and again. */
async function pageRows(receiver: Receiver, ada: AdminClient, pages: [string, string][]): Promise<Row[]> {
  const seen = pages.map(([what, page]) => ({ what, page, ms: [] as number[], work: [] as number[] }));
  for (let visit = 0; visit < VISITS; visit++)
    for (const { page, ms, work } of seen) {
      const [began, worked] = [performance.now(), receiver.workMs()];
      await see(ada, page);
      ms.push(performance.now() - began);
      work.push(receiver.workMs() - worked);
    }
  return seen.map(({ what, ms, work }) => ({
    what: `${what}; ${milliseconds(median(work))} of the processor`,
    ours: milliseconds(median(ms)),
    against: milliseconds(LONGEST_MS),
    ratio: median(ms) / LONGEST_MS,
    goal: { kind: 'at most', value: 1 },
  }));
}

/** A publish with somebody who looks at pages and without, a slice in turn; each is the first in every other pair. */
async function besideRows(port: number, ada: AdminClient, pages: [string, string][]): Promise<Row[]> {
  const groups = Object.entries({ ...GROUPS, 'the other pages': /^/ });
  const groupOf = (what: string) => groups.find(([, pattern]) => pattern.test(what))?.[0];
  const rows: Row[] = [];
  let sent = EARLIER;
  for (const [group] of groups) {
    // One delivery is not kept for so long: only the newest 1,000 are.
    const ofGroup = pages.filter(([what]) => groupOf(what) === group && what !== 'a delivery');
    const click = clicker(
      ada,
      ofGroup.map(([, page]) => page),
    );
    const seen = { quiet: [] as number[], asked: [] as number[] };
    for (let slice = 0; slice < 2 * SLICES; slice++) {
      const side = slice % 4 === 0 || slice % 4 === 3 ? 'quiet' : 'asked';
      const next = once(signedRequests(sent, PER_SLICE));
      sent += PER_SLICE;
      const ended = new AbortController();
      const clicks = side === 'asked' ? click(ended.signal) : Promise.resolve();
      const { latencies } = await load({ port, connections: CONNECTIONS, seconds: 30, next });
      ended.abort();
      await clicks;
      seen[side].push(...latencies);
    }
    const [asked, quiet] = [median(seen.asked), median(seen.quiet)];
    rows.push({
      what: `a publish at ${CONNECTIONS} connections beside somebody who looks at ${group}`,
      ours: milliseconds(asked),
      against: `${milliseconds(quiet)} without`,
      ratio: asked / quiet,
      goal: { kind: 'at most', value: 1.1 },
    });
  }
  return rows;
}

/** Asks for pages in turn, as often as somebody clicks, in the time that its calls last. */
function clicker(ada: AdminClient, pages: readonly string[]): (ended: AbortSignal) => Promise<void> {
  let clicks = 0;
  let waitMs = 0;
  return async (signal) => {
    while (!signal.aborted) {
      const began = performance.now();
      await setTimeout(waitMs, undefined, { signal }).catch(() => undefined);
      waitMs -= performance.now() - began;
      if (signal.aborted) return;
      await see(ada, pages[clicks++ % pages.length] ?? '');
      waitMs = CLICK_MS;
    }
  };
}

async function see(ada: AdminClient, page: string): Promise<void> {
  const { status } = await ada.get(page);
  if (status !== 200) throw new Error(`the admin answers ${status} at ${page}`);
}
