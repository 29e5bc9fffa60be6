import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { AdminAdditions } from '../host/admin/additions.js';
import type { ListedArticle } from '../host/articles/articles.js';
import type { Hooks } from '../host/hooks/hooks.js';
import { startHost } from '../host/host.js';
import type { SiteOutput } from '../host/pages/outputs.js';
import type { Plugin } from '../host/plugin.js';
import { describeError } from '../log.js';
import { fakeArticle } from './fake-articles.js';

/** The options of a test host. */
export interface TestHostOptions {
  /** The face that is set up. @default 'receiver' */
  readonly face?: 'receiver' | 'pages';
  /** The articles that the plugin finds; missing fields are made up. @default none */
  readonly articles?: readonly Partial<ListedArticle>[];
  readonly options?: unknown;
  /** The values of the plugin's secrets. */
  readonly secrets?: Readonly<Record<string, string>>;
}

/** A line of the log. */
export interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly [key: string]: unknown;
}

/** A plugin without a receiver; see `createTestHost`. */
export interface TestHost extends Pick<Hooks, 'applyFilters' | 'doAction'> {
  /** The files that the plugin adds to the site. */
  readonly outputs: readonly SiteOutput[];
  /**
   * The plugin's additions to the admin; `render` and `run` resolve with `{ kind: 'done', text }` or `{ kind: 'failed', reason
   * }`.
   */
  readonly admin: AdminAdditions;
  readonly log: readonly LogLine[];
  /** Runs `host.closing` and removes the plugin's stored data. */
  close(): Promise<void>;
}

/**
 * Sets up one face of a plugin, without a receiver, so that a test can run its filters and actions quickly. Articles are
 * read-only, and jobs do not run; see `createTestSite` for both.
 *
 * @throws PressmarkError PLUGIN_INVALID, for the same reasons as when a receiver starts.
 */
export async function createTestHost<O>(
  plugin: Plugin<O>,
  { face = 'receiver', articles: given = [], options, secrets = {} }: TestHostOptions = {},
): Promise<TestHost> {
  const dir = fs.mkdtempSync(join(tmpdir(), 'pressmark-plugin-'));
  const articles = given.map((over, n) => fakeArticle({ id: `article-${n + 1}`, ...over }));
  const { log, lines } = keptLog();
  const remove = () => fs.rmSync(dir, { recursive: true, force: true });
  try {
    const entry = {
      plugin: plugin as Plugin,
      origin: 'the test',
      ...(options !== undefined && { options }),
    };
    const host = await startHost([entry], {
      face,
      site: { url: 'https://garden.example', language: 'en', timeZone: 'UTC' },
      paths: { site: dir, content: join(dir, 'content'), output: join(dir, 'public') },
      stateDir: join(dir, '.pressmark'),
      log,
      environment: secrets,
      articles: {
        get: async (id) => articles.find((article) => article.id === id),
        find: async (url) => articles.find((article) => article.url === url),
        ids: () => articles.map(({ id }) => id),
      },
    });
    return {
      applyFilters: host.hooks.applyFilters,
      doAction: host.hooks.doAction,
      outputs: host.outputs.map(({ output }) => output),
      admin: host.admin,
      log: lines,
      close: () => host.close().finally(remove),
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/** A log that keeps its lines for a test. */
export function keptLog() {
  const lines: LogLine[] = [];
  const log = pino(
    { level: 'info', base: null, serializers: { err: describeError } },
    { write: (line: string) => void lines.push(JSON.parse(line)) },
  );
  return { log, lines };
}
