import fs from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { PACKAGE_FOLDER } from '../../own-package.js';
import { composeArticle } from '../../sender/article/compose.js';
import { readDraft } from '../../sender/article/draft.js';
import { sampleTest } from '../../sender/article/sample-event.js';
import { DEFAULT_SERVICE, type EventName, envelopeOf, postEvent } from '../../sender/delivery/send-event.js';
import { paint, print } from '../terminal.js';

/** The site and the receiver of the demo. */
export interface DemoStage {
  /** The site's folder. */
  readonly dir: string;
  /** The address of the running receiver, which also serves the site's preview. */
  readonly url: string;
  readonly endpoint: string;
  readonly secret: string;
  /** Runs git in the site's folder; undefined if git is missing. */
  readonly git: ((...args: string[]) => string) | undefined;
}

/** Sends the events of an article's whole life one after another, and prints each with its result. */
export async function playDemo({ dir, url, endpoint, secret, git }: DemoStage): Promise<boolean> {
  let ok = true;
  let second = Date.now();

  async function send(
    what: string,
    event: EventName,
    data: object,
    expected: number,
  ): Promise<{ readonly body: string }> {
    second += 1000;
    const envelope = envelopeOf(event, { ...data }, new Date(second).toISOString());
    const answer = await postEvent({ url: `${url}${endpoint}`, secret, service: DEFAULT_SERVICE }, envelope);
    const body = answer.body.toString();
    const right = answer.status === expected;
    ok &&= right;
    print(
      `${paint(right ? 'green' : 'red', `${answer.status}`)}  ${paint('bold', what)}  ${paint('dim', `${answer.ms} ms`)}`,
    );
    print(`     ${body.length > 160 ? `${body.slice(0, 160)}…` : body}`);
    return { body };
  }

  async function showEffects(address: string, title: string, effect: string): Promise<void> {
    const answered = performance.now();
    const { pathname } = new URL(address);
    const isLive = async () => (await (await fetch(address)).text()).includes(`<h1>${title}`) || undefined;
    const live = (await awaited(isLive)) && `live after ${Math.round(performance.now() - answered)} ms`;
    const lastCommit = async () => {
      const line = git?.('log', '-1', '--abbrev=10', '--format=%h  %s').trim();
      return line?.endsWith(`  ${effect}: ${title}`) ? line : undefined;
    };
    const commit = git && (await awaited(lastCommit));
    const name = `${basename(pathname)}.md`;
    const file = fs.readdirSync(join(dir, 'content'), { recursive: true, encoding: 'utf8' });
    print(paint('dim', `     file    content/${file.find((path) => basename(path) === name)}`));
    print(paint('dim', `     commit  ${commit ?? 'none (git is not there)'}`));
    print(paint('dim', `     page    ${pathname}, ${live ?? 'not live yet'}`));
  }

  await send('webhook.test', 'webhook.test', sampleTest({}), 200);
  // Each article is sent a second after the one before.
  const articles = demoArticles(url, (index) => new Date(second + 1000 * (index + 1)).toISOString());
  const urls: string[] = [];
  for (const article of articles) {
    const answer = await send(`article.published  “${article.title}”`, 'article.published', article, 200);
    const published = JSON.parse(answer.body) as { url: string };
    urls.push(published.url);
    await showEffects(published.url, article.title, 'Publish');
  }
  const [first] = articles;
  const [target] = urls;
  if (first === undefined || target === undefined) return false;

  await send('article.published again: a redelivery, nothing is written', 'article.published', first, 200);
  const found = JSON.parse(
    (await send('article.lookup', 'article.lookup', { target_url: target }, 200)).body,
  ) as { target: { revision_id: string } };
  const update = {
    ...first,
    id: 'demo-draft-1',
    revision_id: 'demo-draft-1',
    title: 'What a pressmark is, and what it is not',
    target_id: first.id,
    target_url: target,
    base_revision_id: found.target.revision_id,
  };
  await send('article.updated: replaces the article in place', 'article.updated', update, 200);
  await showEffects(target, update.title, 'Update');
  const stale = { ...update, id: 'demo-draft-2', revision_id: 'demo-draft-2', title: 'Too late' };
  await send(
    'article.updated from the old revision: refused, nothing is changed',
    'article.updated',
    stale,
    409,
  );
  return ok;
}

/** How long the demo waits for a commit or a page before it continues, in milliseconds. */
const PATIENCE_MS = 15_000;
const POLL_MS = 50;

async function awaited<T>(look: () => Promise<T | undefined>): Promise<T | undefined> {
  const end = performance.now() + PATIENCE_MS;
  let found = await look();
  while (found === undefined && performance.now() < end) {
    await setTimeout(POLL_MS);
    found = await look();
  }
  return found;
}

const FOLDER = join(PACKAGE_FOLDER, 'examples/demo-articles');
/** The slugs, in the order in which the articles are sent. */
const SLUGS = ['what-a-pressmark-is', 'why-the-answer-comes-last', 'two-people-one-paragraph'];
const SERVICE = { author: '', application: 'The Reading Room', tracking: null, service: DEFAULT_SERVICE };

/**
 * The articles of the demo's service: short, with the elements of real ones, such as headings, a list, a table and code.
 *
 * @param siteUrl the site with their pictures.
 * @param momentOf the sending moment of the article with an index; ISO 8601.
 */
export function demoArticles(siteUrl: string, momentOf: (index: number) => string) {
  return SLUGS.map((slug, index) => {
    const draft = readDraft(join(FOLDER, `${slug}.md`), siteUrl);
    return composeArticle(draft, SERVICE, draft.id ?? slug, momentOf(index));
  });
}
