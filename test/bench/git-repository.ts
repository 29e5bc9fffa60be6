import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { pino } from 'pino';
import { type Article, draftOf } from '../../src/article/article.js';
import { openArticleCommits } from '../../src/git/commit/article-commits.js';
import { createHooks } from '../../src/host/hooks/hooks.js';
import { type Host, startHost } from '../../src/host/host.js';
import { definePlugin } from '../../src/host/plugin.js';
import { hostSite } from '../support/host-site.js';
import { decode, encode } from '../support/plain-files.js';
import { articleData } from './deliveries.js';

/** A repository of a site, all of whose articles are committed. */
export interface BenchRepository {
  readonly dir: string;
  git(...args: string[]): string;
  /** The next articles, none of which has been handed out before; over the same months as the stored ones. */
  nextArticles(count: number): BenchArticle[];
}

/** An article and the file that it is stored in. */
export interface BenchArticle {
  readonly article: Article;
  readonly text: string;
  readonly path: string;
}

const ENVIRONMENT = {
  PATH: process.env.PATH,
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  LC_ALL: 'C',
};

/** Makes a repository with `articles` short articles in the default folders, five years of months of them, in one commit. */
export function makeRepository(dir: string, articles: number): BenchRepository {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: dir, env: ENVIRONMENT, encoding: 'utf8', maxBuffer: 1e9 });
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Bench');
  git('config', 'user.email', 'bench@example.com');
  git('config', 'gc.auto', '0');
  for (let n = 0; n < articles; n++) {
    const path = join(dir, pathOf(n));
    if (n < 60) fs.mkdirSync(dirname(path), { recursive: true });
    fs.writeFileSync(path, shortText(n));
  }
  git('add', '.');
  git('commit', '-q', '-m', 'Stored');
  git('repack', '-q', '-a', '-d');
  execFileSync('sync');

  let next = articles;
  return {
    dir,
    git,
    nextArticles: (count) => Array.from({ length: count }, () => makeArticle(next++)),
  };
}

function pathOf(n: number): string {
  const month = n % 60;
  const [year, mm] = [2021 + Math.floor(month / 12), String((month % 12) + 1).padStart(2, '0')];
  return `content/articles/${year}/${mm}/an-article-with-a-slug-of-some-length-${n}.md`;
}

/** Short, so that 100,000 of them find room. */
function shortText(n: number): string {
  const data = articleData(1_000_000 + n, `${pathOf(n).slice(17, 24).replace('/', '-')}-01T08:00:00Z`);
  const markdown = `${data.content_markdown.slice(0, 600)}\n<!-- svc:item:${data.id} -->`;
  const draft = draftOf({ ...data, content_html: '', content_markdown: markdown });
  return encode({ ...draft, url: `https://example.com/articles/${n}/`, updated: null }).text;
}

function makeArticle(n: number): BenchArticle {
  // what is published today goes to this month's folder
  const path = pathOf(n - (n % 60) + 59);
  const data = articleData(n, '2026-11-19T08:00:00Z');
  const file = path.replace(/-\d+\.md$/, `-${n}.md`);
  const { text, article } = encode({
    ...draftOf(data),
    url: `https://example.com/articles/${n}/`,
    updated: null,
  });
  return { article, text, path: file };
}

/** A receiver's plugin host with the git plugin alone. */
export interface Committing {
  readonly host: Host;
  /** Called with the path of each article that has been committed. */
  onCommitted: (path: string) => void;
  publish(article: BenchArticle): void;
}

/** Starts what commits, as the receiver does it. */
export async function startCommitting(dir: string): Promise<Committing> {
  const log = pino({ level: 'warn' });
  const hooks = createHooks(log);
  const commits = await openArticleCommits({
    siteDir: dir,
    env: ENVIRONMENT,
    hooks,
    log,
    content: 'content/',
    isArticle: () => true,
    pathsOf: () => [],
    assetsOf: async () => [],
    authorOf: () => undefined,
    decode: async (path, text) => decode(text, path),
    stateDir: join(dir, '.git'),
  });
  if (commits === undefined) throw new Error('there is no repository');
  const watcher = definePlugin({
    name: 'watcher',
    receiver(host) {
      // As the receiver's server does: what waits for a commit does not keep a process running.
      const alive = setInterval(() => undefined, 1e6);
      host.onClose(() => clearInterval(alive));
      host.addAction('git.committed', ({ path }) => committing.onCommitted(path));
    },
  });
  const host = await startHost(
    [commits.makePlugin(), watcher].map((plugin) => ({ plugin, origin: 'bench' })),
    {
      face: 'receiver',
      ...hostSite(dir, 'https://example.com'),
      log,
      hooks,
      articles: { get: async () => undefined, find: async () => undefined, ids: () => [] },
    },
  );
  const committing: Committing = {
    host,
    onCommitted: () => undefined,
    publish: ({ article, path, text }) => {
      const timestamp = article.date;
      void host.hooks.doAction('article.published', {
        event: 'article.published',
        article,
        path,
        text,
        timestamp,
      });
    },
  };
  return committing;
}

/** Puts the files where the store would have put them; that is not what is measured. */
export function storeFiles({ dir }: BenchRepository, articles: readonly BenchArticle[]): void {
  for (const { path, text } of articles) {
    fs.mkdirSync(dirname(join(dir, path)), { recursive: true });
    fs.writeFileSync(join(dir, path), text);
  }
}

/** The fastest that git has: one process, a checkpoint after every hundred commits. @returns commits a second. */
export async function fastImport(
  { dir, git }: BenchRepository,
  articles: readonly BenchArticle[],
): Promise<number> {
  const parent = git('rev-parse', 'refs/heads/main').trim();
  const began = performance.now();
  const child = spawn('git', ['fast-import', '--quiet', '--force', '--done'], {
    cwd: dir,
    env: ENVIRONMENT,
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  for (const [index, { path, text, article }] of articles.entries()) {
    const message = Buffer.from(`Publish: ${article.title}\n`);
    const content = Buffer.from(text);
    child.stdin.write(
      Buffer.concat([
        Buffer.from(
          `commit refs/heads/imported\ncommitter Bench <bench@example.com> 1795075200 +0000\ndata ${message.length}\n`,
        ),
        message,
        Buffer.from(index === 0 ? `from ${parent}\n` : ''),
        Buffer.from(`M 100644 inline "${path}"\ndata ${content.length}\n`),
        content,
        Buffer.from(`\n\n${index % 100 === 99 ? 'checkpoint\n\n' : ''}`),
      ]),
    );
  }
  child.stdin.end('done\n');
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`git fast-import ended with ${code}`);
  return (1000 * articles.length) / (performance.now() - began);
}
