import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { ExecutionContext } from 'ava';
import { pino } from 'pino';
import { type Article, draftOf } from '../../../src/article/article.js';
import {
  type ArticleCommits,
  type ArticleCommitsOptions,
  openArticleCommits,
} from '../../../src/git/commit/article-commits.js';
import { createHooks } from '../../../src/host/hooks/hooks.js';
import { type Host, startHost } from '../../../src/host/host.js';
import { definePlugin, type ReceiverHost } from '../../../src/host/plugin.js';
import type { Writer } from '../../../src/store/write/article-files.js';
import { article as published } from '../../support/events.js';
import { hostSite } from '../../support/host-site.js';
import { decode, encode } from '../../support/plain-files.js';
import { until } from '../../support/until.js';

const run = promisify(execFile);

/** A site in a repository, a receiver's plugin host with the git plugin, and a store's stand-in; see `siteAt`. */
export type Site = ReturnType<typeof siteAt>;

interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly [key: string]: unknown;
}

export interface StartOptions extends Partial<ArticleCommitsOptions> {
  setup?(host: ReceiverHost): void;
  /** Gets what the store and the admin are handed. */
  onOpened?(commits: ArticleCommits): void;
}

export interface SiteOptions {
  /** The site's folder inside the repository. @default its top */
  readonly folder?: string;
  /** Whether to make a repository at all, and with a first commit. @default 'committed' */
  readonly repository?: 'none' | 'committed';
}

/** The files are written by the stand-in of the store. */
export const NO_DISK: Writer = {
  write: () => Promise.reject(new Error('the stand-in writes')),
  remove: () => Promise.reject(new Error('the stand-in removes')),
  ensure: async ({ fingerprint }) => fingerprint,
  epoch: 0,
};

/** Makes a site that the test removes in the end. */
export async function makeSite(t: ExecutionContext, options: SiteOptions = {}): Promise<Site> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'pressmark-git-')));
  const top = join(root, 'work tree');
  const home = join(root, 'home');
  for (const folder of [top, home, join(root, 'state')]) await mkdir(folder);
  const env = environment(home);
  // Without the housekeeping, for which git would start two more programs after each commit.
  const settings = '[user]\n\tname = Olga Owner\n\temail = olga@example.org\n[maintenance]\n\tauto = false\n';
  await writeFile(join(home, '.gitconfig'), settings);
  const repository = options.repository ?? 'committed';
  const site = siteAt(t.log, top, join(top, options.folder ?? ''), env);
  t.teardown(async () => {
    await site.stop();
    // A git that was stopped may still be at the end of its work.
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  });
  await mkdir(site.dir, { recursive: true });
  if (repository === 'committed') {
    await site.write('README.md', 'a site\n');
    // One program for this process, which takes longer to start one than git does to run.
    const script = 'git init -q -b main && git add . && git commit -qm First';
    await run('sh', ['-c', script], { cwd: top, env });
  }
  return site;
}

/**
 * A site in a work tree that exists already.
 *
 * @param top the work tree, in which the site has the folder `dir`.
 */
export function siteAt(
  tell: (...values: unknown[]) => void,
  top: string,
  dir: string,
  env: NodeJS.ProcessEnv,
) {
  const articles = new Map<string, Article>();
  const paths = new Map<string, string>();
  const log: LogLine[] = [];
  const committed: { commit: string; path: string; subject: string }[] = [];
  const hosts: Host[] = [];
  let commits: ArticleCommits | undefined;
  const logger = pino(
    { level: 'debug', base: null },
    { write: (line: string) => void log.push(JSON.parse(line)) },
  );

  const site = {
    top,
    dir,
    log,
    committed,
    /** Runs git as the owner would. */
    async git(...args: string[]) {
      const { stdout } = await run('git', args, { cwd: top, env, maxBuffer: 1e9 });
      return stdout;
    },
    /** The subjects of all commits, oldest first. */
    subjects: async () => (await site.git('log', '--reverse', '--format=%s')).split('\n').filter(Boolean),
    async write(path: string, text: string) {
      await mkdir(dirname(join(dir, path)), { recursive: true });
      await writeFile(join(dir, path), text);
    },
    read: (path: string) => readFile(join(dir, path), 'utf8'),
    /** The current revision of the article in a file. */
    revision: async (path: string) => (await storedAt(dir, path))?.stored.article.revision,
    async start({ setup, onOpened, ...options }: StartOptions = {}): Promise<Host> {
      const hooks = createHooks(logger);
      const watcher = definePlugin({
        name: 'watcher',
        receiver(host) {
          host.addAction('git.committed', (payload) => committed.push(payload));
          setup?.(host);
        },
      });
      commits = await openArticleCommits({
        siteDir: dir,
        env,
        hooks,
        log: logger.child({ plugin: 'git' }),
        // no test waits for an edit to lie still, and no shutdown is cut short on a busy machine
        stillMs: 20,
        closeMs: 60_000,
        replaceMs: 60_000,
        content: '',
        decode: async (path, text) => storedIn(text, path),
        isArticle: (path) => path.endsWith('.md'),
        pathsOf: (id) => [paths.get(id) ?? []].flat(),
        assetsOf: async () => [],
        authorOf: () => undefined,
        stateDir: join(top, '..', 'state'),
        ...options,
      });
      if (commits !== undefined) onOpened?.(commits);
      const entries = [{ plugin: watcher, origin: 'test' }];
      if (commits !== undefined) entries.unshift({ plugin: commits.makePlugin(), origin: 'test' });
      const host = await startHost(
        entries,
        {
          face: 'receiver',
          ...hostSite(dir, 'https://example.org'),
          log: logger,
          hooks,
          articles: { get: async () => undefined, find: async () => undefined, ids: () => [] },
        },
        // no shutdown is cut short on a busy machine
        { setupMs: 60_000, activateMs: 60_000, closingMs: 60_000, disposeMs: 60_000 },
      );
      hosts.push(host);
      return host;
    },
    /** Stops as `kill -9` would: what waits is forgotten. */
    async stop() {
      commits = undefined;
      for (const host of hosts.splice(0)) await host.close();
    },
    async publish(
      id: string,
      change: Partial<Article> = {},
      { path = `content/articles/2026/11/${id}.md` } = {},
    ) {
      const article = { ...articleOf(id), ...change };
      paths.set(id, path);
      await store(article, 'article.published');
      return path;
    },
    async update(id: string, change: Partial<Article> = {}) {
      const stored = articles.get(id) ?? articleOf(id);
      await store({ ...stored, updated: '2026-11-20T08:00:00Z', ...change }, 'article.updated');
    },
    /** The lines of the log whose message holds these words. */
    logged: (words: string) => log.filter(({ msg }) => msg.includes(words)),
    /** Waits until something holds; where it never does, the test shows the log. @param expected one sentence. */
    async until(expected: string, holds: () => boolean | Promise<boolean>): Promise<void> {
      try {
        await until(expected, holds);
      } catch (error) {
        tell(log);
        throw error;
      }
    },
    untilLogged: (words: string): Promise<void> =>
      site.until(`the log says “${words}”`, () => site.logged(words).length > 0),
    untilCommitted: (count: number): Promise<void> =>
      site.until(`there are ${count} commits of articles`, () => committed.length >= count),
  };

  async function store(article: Article, event: 'article.published' | 'article.updated'): Promise<void> {
    const path = paths.get(article.id) ?? '';
    const { text } = encode(article);
    const before = await storedAt(dir, path);
    articles.set(article.id, article);
    if (before !== undefined) {
      const { text, stored } = before;
      const replaced = { path, text, article: stored.article, edited: stored.edited, by: article.revision };
      await commits?.writerOver(NO_DISK).beforeReplace?.(replaced);
    }
    await site.write(path, text);
    const replaced = before?.stored.edited ? { replaced: { text: before.text, ...before.stored } } : {};
    const payload = { event, article, path, timestamp: '2026-11-20T08:00:00Z', text, ...replaced };
    await Promise.all(hosts.map((host) => host.hooks.doAction(event, payload)));
  }
  return site;
}

/** The environment of a machine on which git knows nobody. */
export function environment(home: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  return { ...Object.fromEntries(kept), HOME: home, XDG_CONFIG_HOME: home, LC_ALL: 'C' };
}

/** An article's file as a store reads it; undefined if there is none, or it is malformed. */
async function storedAt(dir: string, path: string) {
  if (!existsSync(join(dir, path))) return undefined;
  const text = await readFile(join(dir, path), 'utf8');
  const stored = storedIn(text, path);
  return stored && { text, stored };
}

function storedIn(text: string, path: string) {
  try {
    return decode(text, path);
  } catch {
    return undefined;
  }
}

function articleOf(id: string): Article {
  const draft = draftOf(published({ id, slug: id, title: `Title of ${id}`, author: 'A. Uthor' }));
  const date = '2026-11-19T08:00:00Z';
  return {
    ...draft,
    date,
    revision: `rev-${id}-1`,
    url: `https://example.org/articles/${id}/`,
    updated: null,
  };
}

/** Starts a plugin whose start-up check is over, and closes it again: all that it has found is committed then. */
export async function startAndCheck(site: Site, options: StartOptions = {}): Promise<void> {
  site.log.length = 0;
  const host = await site.start(options);
  await host.hooks.doAction('host.ready', { url: '' });
  await site.untilLogged('articles compared with the branch');
  await site.stop();
}

/** The real git. */
const GIT = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();

/** An environment in which `git` is a script of ours; the real one is `$GIT`, its arguments `$*`. */
export async function withGit(site: Site, script: string): Promise<NodeJS.ProcessEnv> {
  const bin = join(site.top, '..', 'bin');
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, 'git'), `#!/bin/sh\nGIT=${GIT}\n${script}\nexec "$GIT" "$@"\n`);
  await chmod(join(bin, 'git'), 0o755);
  const env = environment(join(site.top, '..', 'home'));
  return { ...env, PATH: `${bin}:${env.PATH}` };
}
