import { join } from 'node:path';
import { sampleArticle, sampleTest } from '../../sender/article/sample-event.js';
import { DEFAULT_SERVICE, type EventName, envelopeOf, postEvent } from '../../sender/delivery/send-event.js';
import { paint, print } from '../terminal.js';
import { DEMO_ARTICLES } from './articles.js';
import type { DemoWatcher } from './watcher.js';

/** What the demo plays on. */
export interface DemoStage {
  /** The running receiver and, as it is its own preview, the site. */
  readonly url: string;
  readonly endpoint: string;
  readonly secret: string;
  readonly watcher: DemoWatcher;
}

/** Sends the events of a whole life of an article, one after another, and prints each with what became of it. */
export async function playDemo({ url, endpoint, secret, watcher }: DemoStage): Promise<boolean> {
  let ok = true;
  let second = Date.now();

  async function send(
    what: string,
    event: EventName,
    data: Record<string, unknown>,
    expected: number,
  ): Promise<{ readonly body: string }> {
    second += 1000;
    const envelope = envelopeOf(event, data, new Date(second).toISOString());
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

  async function showEffects(published: { id: string; url: string }, effect: string): Promise<void> {
    const commit = await watcher.commit(published.id, effect);
    const file = watcher.fileOf(published.id);
    const page = join('public', new URL(published.url).pathname, 'index.html');
    const ms = await watcher.live(published.id);
    print(paint('dim', `     file    ${file ?? '?'}`));
    print(paint('dim', `     commit  ${commit ?? 'none (git is not there)'}`));
    print(paint('dim', `     page    ${page}, ${ms === undefined ? 'not live yet' : `live after ${ms} ms`}`));
  }

  await send('webhook.test', 'webhook.test', sampleTest({}), 200);
  const articles = DEMO_ARTICLES.map(({ picture, ...given }, index) =>
    sampleArticle(
      { ...given, featured_image_url: `${url}/pictures/${picture}` },
      // The moment of its sending, each a second after the one before.
      new Date(second + 1000 * (index + 1)).toISOString(),
    ),
  );
  const urls: string[] = [];
  for (const article of articles) {
    const answer = await send(
      `article.published  “${String(article.title)}”`,
      'article.published',
      article,
      200,
    );
    const published = JSON.parse(answer.body) as { id: string; url: string };
    urls.push(published.url);
    await showEffects(published, 'Publish');
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
  await showEffects({ id: String(first.id), url: target }, 'Update');
  const stale = { ...update, id: 'demo-draft-2', revision_id: 'demo-draft-2', title: 'Too late' };
  await send(
    'article.updated from the old revision: refused, nothing is changed',
    'article.updated',
    stale,
    409,
  );
  await watcher.settled();
  return ok;
}
