import { definePlugin, type Plugin } from '../../app/app.js';

/** How long the demo waits for a commit or a page before it goes on without. */
const PATIENCE_MS = 15_000;
const POLL_MS = 20;

/** A plugin, like any other, which keeps what its actions are given. */
export interface DemoWatcher {
  readonly plugin: Plugin;
  /** Waits for the commit of an article; undefined where none comes. */
  commit(id: string, subjectStart: string): Promise<string | undefined>;
  /** Waits until the present text of an article is live; how long after its answer, in milliseconds. */
  live(id: string): Promise<number | undefined>;
  /** The article's file, relative to the site. */
  fileOf(id: string): string | undefined;
  until(condition: () => boolean): Promise<boolean>;
  /** Waits until the site has been built after the last event. */
  settled(): Promise<void>;
}

/** Watches the actions of the receiver: stored articles, commits, builds. */
export function demoWatcher(hasGit: boolean): DemoWatcher {
  const files = new Map<string, string>();
  const commits: { path: string; text: string }[] = [];
  const live = new Map<string, number>();
  let lastStored = 0;
  let lastBuilt = 0;
  const plugin = definePlugin({
    name: 'demo-watcher',
    receiver(host) {
      for (const name of ['article.published', 'article.updated'] as const) {
        host.addAction(name, ({ article, path }) => {
          files.set(article.id, path);
          live.delete(article.id);
          lastStored = performance.now();
        });
      }
      host.addAction('git.committed', ({ commit, path, subject }) =>
        commits.push({ path, text: `${commit.slice(0, 10)}  ${subject}` }),
      );
      host.addAction('article.live', ({ id, ms }) => {
        live.set(id, ms);
      });
      host.addAction('site.built', () => {
        lastBuilt = performance.now();
      });
    },
  });

  async function until(condition: () => boolean): Promise<boolean> {
    const end = performance.now() + PATIENCE_MS;
    while (!condition()) {
      if (performance.now() > end) return false;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    return true;
  }

  async function commit(id: string, subjectStart: string): Promise<string | undefined> {
    if (!hasGit) return undefined;
    const find = () =>
      commits.find(({ path, text }) => path === files.get(id) && text.includes(`  ${subjectStart}`));
    await until(() => find() !== undefined);
    return find()?.text;
  }

  return {
    plugin,
    commit,
    live: async (id) => {
      await until(() => live.has(id));
      return live.get(id);
    },
    fileOf: (id) => files.get(id),
    until,
    settled: async () => void (await until(() => lastBuilt > lastStored)),
  };
}
