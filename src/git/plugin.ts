import { definePlugin, type Plugin, type PluginHost } from '../host/plugins.js';
import type { ArticleCommits } from './article-commits.js';
import { type PushSettings, pushInBackground } from './push/background-push.js';
import { type ShareEditsOptions, shareEdits } from './remote-store/share-edits.js';

/** What the git plugin does besides the store, by durability level. */
export type GitPluginOptions =
  /** Articles are committed, in the background or before the answer. */
  | {
      readonly kind: 'commits';
      readonly commits: ArticleCommits;
      /** Whether the store has articles committed before the answer. */
      readonly isBeforeAnswer: boolean;
      /** Has the branch pushed in the background. */
      readonly push?: PushSettings;
      readonly env: NodeJS.Dict<string>;
    }
  /** The store itself pushes articles; here the edits of people are shared. */
  | { readonly kind: 'remote store'; readonly edits: ShareEditsOptions | undefined };

/** Actions run one after the other: a slow plugin of the owner must not delay commits. */
const FIRST = { priority: 0 };

/** Connects the commits of articles with the plugin host. */
export function gitPlugin(options: GitPluginOptions): Plugin {
  return definePlugin({
    name: 'git',
    async setup(host) {
      if (host.role !== 'receiver') return;
      if (options.kind === 'commits') await commitArticles(host, options);
      else if (options.edits !== undefined) shareEdits(host, options.edits);
    },
  });
}

async function commitArticles(
  host: PluginHost,
  options: Extract<GitPluginOptions, { kind: 'commits' }>,
): Promise<void> {
  const { commits, push } = options;
  if (!options.isBeforeAnswer) {
    host.addAction('article.published', commits.add, FIRST);
    host.addAction('article.updated', commits.add, FIRST);
  }
  host.addAction('article.edited', ({ path }) => commits.addEdit(path), FIRST);
  const { context, worktree } = commits;
  const pusher = push && worktree && (await pushInBackground(host, push, options.env, context, worktree));
  await commits.start(() => pusher?.request(0));
  host.addAction('host.ready', commits.reconcile, FIRST);
  host.onClose(() => commits.close(pusher?.close));
}
