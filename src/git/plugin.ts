import { definePlugin, type Plugin } from '../host/plugins.js';
import type { ArticleCommits } from './article-commits.js';
import { type PushSettings, pushInBackground } from './push/background-push.js';

/** What the git plugin does besides the store, at the levels `disk` and `commit`. At level `push` the store pushes. */
export interface GitPluginOptions {
  readonly commits: ArticleCommits;
  /** Whether the store has articles committed before the answer. */
  readonly isBeforeAnswer: boolean;
  /** Has the branch pushed in the background. */
  readonly push?: PushSettings;
  readonly env: NodeJS.Dict<string>;
}

/** Connects the commits of articles with the plugin host. */
export function gitPlugin({ commits, isBeforeAnswer, push, env }: GitPluginOptions): Plugin {
  return definePlugin({
    name: 'git',
    async setup(host) {
      if (host.role !== 'receiver') return;
      if (!isBeforeAnswer) {
        host.addAction('article.published', ({ path }) => commits.add(path));
        host.addAction('article.updated', ({ path }) => commits.add(path));
      }
      host.addAction('article.edited', ({ path }) => commits.addEdit(path));
      host.addAction('host.ready', commits.start);
      const pusher = push && (await pushInBackground(host, push, env, commits));
      host.onClose(() => commits.close(pusher?.close));
    },
  });
}
