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

/** What a plugin is set up with in a test. */
export interface TestHostOptions {
  /** The face that is set up. @default 'receiver' */
  readonly face?: 'receiver' | 'pages';
  /** The articles that it finds; what is not named of one is made up. @default none */
  readonly articles?: readonly Partial<ListedArticle>[];
  readonly options?: unknown;
  /** The values of its secrets. */
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
  /** The files that it adds to the site. */
  readonly outputs: readonly SiteOutput[];
  /** What it adds to the admin; `render` and `run` resolve with `{ kind: 'done', text }` or `{ kind: 'failed', reason }`. */
  readonly admin: AdminAdditions;
  readonly log: readonly LogLine[];
  /** Does `host.closing`, and removes what the plugin has kept. */
  close(): Promise<void>;
}

/**
 * Sets up one face of a plugin, without a receiver, so that a test can run its filters and actions: as fast as a function.
 * Articles can be read and not changed, and jobs do not run; see `createTestSite`.
 *
 * @throws PressmarkError PLUGIN_INVALID, as at the start of a receiver.
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
      close: async () => {
        await host.close();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/** A log that is kept for a test. */
export function keptLog() {
  const lines: LogLine[] = [];
  const log = pino(
    { level: 'info', base: null, serializers: { err: describeError } },
    { write: (line: string) => void lines.push(JSON.parse(line)) },
  );
  return { log, lines };
}
