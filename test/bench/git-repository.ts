import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { pino } from 'pino';
import { type Article, draftOf } from '../../src/article/article.js';
import { openArticleCommits } from '../../src/git/article-commits.js';
import { uncommittedFiles } from '../../src/git/commit/uncommitted.js';
import { checkContentFolder } from '../../src/git/content-folder.js';
import { openRepository } from '../../src/git/repository.js';
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
  /** Bytes of all objects and packs. */
  size(): number;
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

/** Makes a repository with `articles` small files in the default folders, five years of them. */
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
    fs.writeFileSync(path, `---\ntitle: "Stored ${n}"\n---\nSome words of article ${n}.\n`);
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
    size: () => {
      const counted = git('count-objects', '-v');
      const kilobytes = (key: string) => Number(new RegExp(`^${key}: (\\d+)`, 'm').exec(counted)?.[1]);
      return 1024 * (kilobytes('size') + kilobytes('size-pack'));
    },
  };
}

function pathOf(n: number): string {
  const month = n % 60;
  const [year, mm] = [2021 + Math.floor(month / 12), String((month % 12) + 1).padStart(2, '0')];
  return `content/articles/${year}/${mm}/an-article-with-a-slug-of-some-length-${n}.md`;
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

/** What the start-up check takes, in milliseconds: as git finds the index, and again when nothing has changed. */
export async function startUpCheck({ dir }: BenchRepository): Promise<{ first: number; again: number }> {
  const repository = await openRepository(dir, ENVIRONMENT);
  if (repository.kind === 'none') throw new Error(repository.because);
  const place = await checkContentFolder(repository, 'content/');
  if (place.kind === 'refused') throw new Error(place.why);
  const check = async () => {
    const began = performance.now();
    if ((await uncommittedFiles(place)).length > 0) throw new Error('the comparison found what is not there');
    return performance.now() - began;
  };
  return { first: await check(), again: await check() };
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
    pathsOf: () => [],
    assetsOf: async () => [],
    authorOf: () => undefined,
    decode: async (path, text) => decode(text, path),
    stateDir: join(dir, '.git'),
  });
  if (commits === undefined) throw new Error('there is no repository');
  const watcher = definePlugin({
    name: 'watcher',
    receiver: (host) => host.addAction('git.committed', ({ path }) => committing.onCommitted(path)),
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

/** What a person would do for each article. @returns commits a second. */
export function addAndCommit({ git }: BenchRepository, articles: readonly BenchArticle[]): number {
  const began = performance.now();
  for (const { path, article } of articles) {
    git('add', '--', path);
    git('commit', '-q', '-m', `Publish: ${article.title}`);
  }
  return (1000 * articles.length) / (performance.now() - began);
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
