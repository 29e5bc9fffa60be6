import fs from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type App, startApp } from '../app/app.js';
import { tryPort } from '../app/server/server.js';
import { filesOfAddress } from '../article/address/files-of-address.js';
import { processEnvironment } from '../config/environment.js';
import { loadSettings } from '../config/load.js';
import type { ConfigInput } from '../config/schema.js';
import { headerNames } from '../contract/service.js';
import { sign as signature } from '../contract/signature.js';
import { PressmarkError, quote } from '../errors.js';
import { movableClock } from '../moved-clock.js';
import { type SentArticle, sentArticle } from './fake-articles.js';
import { keptLog, type LogLine } from './test-host.js';

/** A plugin of a test site: a path, a URL such as `new URL('../plugins/mine.mjs', import.meta.url)`, or a package. */
export type TestPlugin = string | URL;

/** The options of a test site. */
export interface TestSiteOptions {
  /** In the form of the config; paths are relative to the working folder of the test. @default none */
  readonly plugins?: readonly (TestPlugin | readonly [plugin: TestPlugin, options: unknown])[];
  /** The rest of the config, as plain data. */
  readonly config?: Omit<ConfigInput, 'plugins' | 'siteUrl'>;
  /** Variables as in `.env`, such as the secrets of plugins. */
  readonly env?: Readonly<Record<string, string>>;
  /** Files of the site before its start: texts by path, such as `content/articles/a.md`. */
  readonly files?: Readonly<Record<string, string>>;
}

/** The answer to a delivery. */
export interface Answer {
  readonly status: number;
  readonly id: string;
  /** The article's public URL. */
  readonly url: string;
  /** The fields of the answer. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** A receiver on a temporary folder; see `createTestSite`. */
export interface TestSite {
  readonly dir: string;
  /** The address of the receiver, and the site's public address: `http://127.0.0.1:…`. */
  readonly url: string;
  readonly log: readonly LogLine[];
  /** Publishes an article, signed. @param over replaces fields of a made-up article. */
  deliver(over?: Partial<SentArticle>): Promise<Answer>;
  /** Looks up and updates the article at a URL, as a service does. */
  update(url: string, over?: Partial<SentArticle>): Promise<Answer>;
  /** Sends any event, signed. */
  send(event: string, data: unknown): Promise<Answer>;
  /** The signature of a body, for the header `X-Service-Signature`. */
  sign(body: string | Uint8Array): string;
  /** Sends a request to the receiver, such as to a route of the plugin. @param path below `url`. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Waits until a file of the built site exists and contains the text. @param path such as `llms.txt`, or a page's URL. */
  built(path: string, text?: string): Promise<string>;
  /** The text of an article's file, by its id. */
  stored(id: string): string;
  /**
   * Waits until a condition holds, for two minutes at most. @param expected the condition for the error message, such as `the
   * job has run`.
   */
  until(expected: string, holds: () => unknown): Promise<void>;
  /** Moves the clock forward. Anything due by then happens within a second or two. */
  advance(ms: number): void;
  /** Stops the receiver gracefully, and starts it again on the same folder. */
  restart(): Promise<void>;
  /** Stops the receiver and removes the folder. */
  close(): Promise<void>;
}

const SECRET = 'a-secret-for-tests-of-plugins-0123456789';
/** The limit of `until`, in milliseconds: long, so that a slow machine does not fail a test. */
const PATIENCE_MS = 120_000;

/**
 * Starts a real receiver on a temporary site, in this process: with its plugins, pages and jobs, without git. Its public
 * address is the receiver's own, so `liveCheck` works too.
 *
 * @throws PressmarkError for the same reasons as when a receiver starts.
 */
export async function createTestSite(options: TestSiteOptions = {}): Promise<TestSite> {
  const dir = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'pressmark-site-')));
  try {
    return await startSite(dir, options);
  } catch (error) {
    remove(dir);
    throw error;
  }
}

async function startSite(dir: string, options: TestSiteOptions): Promise<TestSite> {
  const { plugins = [], config = {}, env = {}, files = {} } = options;
  const write = (path: string, text: string) => {
    fs.mkdirSync(dirname(join(dir, path)), { recursive: true });
    fs.writeFileSync(join(dir, path), text);
  };
  write(
    'pressmark.config.json',
    JSON.stringify({ site: { search: false }, git: false, ...config, plugins: plugins.map(inConfig) }),
  );
  for (const [path, text] of Object.entries(files)) write(path, text);
  const moveClock = movableClock();
  let moved = 0;
  const { log, lines } = keptLog();
  const port = await tryPort(0, '127.0.0.1');
  const url = `http://127.0.0.1:${port}`;
  const { PATH, HOME, TMPDIR } = processEnvironment();
  const variables = { PATH, HOME, TMPDIR, PRESSMARK_SECRET: SECRET, PRESSMARK_SITE_URL: url, ...env };
  const settings = await loadSettings(dir, { port, host: '127.0.0.1' }, variables);
  // The thread that makes pages logs to standard output, so only warnings are logged there.
  const start = () => startApp({ ...settings, logLevel: 'warn' }, log);
  let app: App = await start();
  const names = headerNames(settings.service);
  const sign = (body: string | Uint8Array) => signature(Buffer.from(body), SECRET);

  async function send(event: string, data: unknown): Promise<Answer> {
    const isFirst = event === 'article.published';
    const timestamp = new Date().toISOString();
    const body = JSON.stringify({ event, timestamp, ...(!isFirst && { contract_version: 2 }), data });
    const headers = {
      'Content-Type': 'application/json',
      [names.signature]: sign(body),
      [names.event]: event,
      ...(!isFirst && { [names.contract]: '2' }),
      Connection: 'close',
    };
    const response = await fetch(`${url}${settings.endpoint}`, { method: 'POST', headers, body });
    const answer = (await response.json()) as Record<string, unknown>;
    const { id, url: at } = answer;
    return { status: response.status, id: String(id ?? ''), url: String(at ?? ''), body: answer };
  }

  async function update(target: string, over: Partial<SentArticle> = {}): Promise<Answer> {
    const found = await send('article.lookup', { target_url: target });
    if (found.status !== 200) return found;
    const {
      id,
      url: target_url,
      revision_id,
      title,
      content_html,
    } = found.body.target as Record<string, string>;
    const article = sentArticle({ ...(title && { title }), ...(content_html && { content_html }), ...over });
    const to = { target_id: id, target_url, base_revision_id: revision_id, revision_id: article.id };
    return send('article.updated', { ...article, ...to });
  }

  async function until(expected: string, holds: () => unknown): Promise<void> {
    const end = performance.now() + PATIENCE_MS;
    while (!(await holds())) {
      if (performance.now() > end)
        throw new Error(`within ${PATIENCE_MS / 1_000} s this did not come true: ${expected}`);
      await setTimeout(20);
    }
  }

  async function built(path: string, text = ''): Promise<string> {
    const { pathname } = new URL(path, `${url}/`);
    const files = filesOfAddress(pathname).map((name) => join(dir, settings.output, name));
    let found: string | undefined;
    await until(`${pathname} is built${text === '' ? '' : ` and has ${quote(text)}`}`, () => {
      const file = files.find((one) => fs.statSync(one, { throwIfNoEntry: false })?.isFile());
      found = file && fs.readFileSync(file, 'utf8');
      return found?.includes(text);
    });
    return found ?? '';
  }

  function stored(id: string): string {
    const lines = ['id', '  id', '    id'].map((key) => `\n${key}: ${JSON.stringify(id)}\n`);
    const content = join(dir, settings.content);
    for (const name of fs.readdirSync(content, { recursive: true, encoding: 'utf8' })) {
      const text = /\.(?:md|markdown|html)$/.test(name) ? fs.readFileSync(join(content, name), 'utf8') : '';
      if (lines.some((line) => text.includes(line))) return text;
    }
    throw new Error(`no file in ${content} has the id ${quote(id)}`);
  }

  let closing: Promise<void> | undefined;
  async function close(): Promise<void> {
    try {
      await app.close();
    } finally {
      moveClock(-moved);
      remove(dir);
    }
  }

  return {
    dir,
    url,
    log: lines,
    deliver: (over) => send('article.published', sentArticle(over)),
    update,
    send,
    sign,
    fetch: (path, init) => fetch(new URL(path, url), init),
    built,
    stored,
    until,
    advance: (ms) => {
      moved += ms;
      moveClock(ms);
    },
    restart: async () => {
      await app.close();
      app = await start();
    },
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

function inConfig(plugin: NonNullable<TestSiteOptions['plugins']>[number]): unknown {
  if (Array.isArray(plugin)) return [locate(plugin[0]), plugin[1]];
  return locate(plugin as TestPlugin);
}

/** The name of a plugin for a config in another folder. */
function locate(plugin: TestPlugin): string {
  if (plugin instanceof URL) return fileURLToPath(plugin);
  if (typeof plugin !== 'string')
    throw new PressmarkError(
      'USAGE',
      'name the file of the plugin: pages are made in a thread, which loads it for itself',
    );
  return /^\.{0,2}[\\/]/.test(plugin) ? resolve(plugin) : createRequire(resolve('test.js')).resolve(plugin);
}

function remove(dir: string): void {
  fs.rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}
