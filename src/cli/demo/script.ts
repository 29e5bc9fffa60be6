import { join } from 'node:path';
import { definePlugin, type Plugin } from '../../app/app.js';
import { sampleArticle, sampleTest } from '../../sender/article/sample-event.js';
import { DEFAULT_SERVICE, type EventName, envelopeOf, postEvent } from '../../sender/delivery/send-event.js';
import { paint, print } from '../terminal.js';
import { DEMO_ARTICLES } from './articles.js';

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
  return ok;
}

/** How long the demo waits for a commit or a page before it goes on without. */
const PATIENCE_MS = 15_000;
const POLL_MS = 20;

/** A plugin, like any other, which keeps what its actions are given. */
export interface DemoWatcher {
  readonly plugin: Plugin;
  /** Waits for the commit of an article; undefined if none comes. */
  commit(id: string, subjectStart: string): Promise<string | undefined>;
  /** Waits until the present text of an article is live; how long after its answer, in milliseconds. */
  live(id: string): Promise<number | undefined>;
  /** The article's file, relative to the site. */
  fileOf(id: string): string | undefined;
}

/** Watches the actions of the receiver: stored articles, commits, live pages. */
export function demoWatcher(hasGit: boolean): DemoWatcher {
  const files = new Map<string, string>();
  const commits: { path: string; text: string }[] = [];
  const live = new Map<string, number>();
  const plugin = definePlugin({
    name: 'demo-watcher',
    receiver(host) {
      for (const name of ['article.published', 'article.updated'] as const)
        host.addAction(name, ({ article, path }) => {
          files.set(article.id, path);
          live.delete(article.id);
        });
      host.addAction('git.committed', ({ commit, path, subject }) =>
        commits.push({ path, text: `${commit.slice(0, 10)}  ${subject}` }),
      );
      host.addAction('article.live', ({ id, ms }) => void live.set(id, ms));
    },
  });
  return {
    plugin,
    commit: async (id, subjectStart) => {
      if (!hasGit) return undefined;
      const isIts = ({ path, text }: { path: string; text: string }) =>
        path === files.get(id) && text.includes(`  ${subjectStart}`);
      return (await awaited(() => commits.find(isIts)))?.text;
    },
    live: (id) => awaited(() => live.get(id)),
    fileOf: (id) => files.get(id),
  };
}

async function awaited<T>(look: () => T | undefined): Promise<T | undefined> {
  const end = performance.now() + PATIENCE_MS;
  while (look() === undefined && performance.now() < end)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  return look();
}
