import type Router from '@koa/router';
import type { Article } from '../article/article.js';
import { messageOf, PressmarkError, quote } from '../errors.js';
import { type Log, REDACTION } from '../log.js';
import { within } from '../time-limit.js';
import type { ActionName, Actions, FilterName, Filters } from './hook-types.js';
import { type ActionHandler, createHooks, type FilterHandler, type Hooks } from './hooks.js';
import { checkOutput, type PluginOutput, type SiteOutput } from './outputs.js';

/** How long a plugin may take to be loaded, and to be set up, in milliseconds. */
export const READY_MS = 10_000;

/** How long plugins may take to start and to stop, in milliseconds; the whole stop has 10 s. */
export interface PluginLimits {
  /** For each `setup`. */
  readonly setupMs: number;
  /** For all handlers of `host.closing` together: the disposers, which flush commits and pages, need time too. */
  readonly closingMs: number;
  /** For each disposer. */
  readonly disposeMs: number;
}

const LIMITS: PluginLimits = { setupMs: READY_MS, closingMs: 2_000, disposeMs: 8_000 };

interface Disposer {
  readonly plugin: string;
  readonly dispose: () => unknown;
}

/** The stored articles, for reading. */
export interface ArticleReader {
  /** The article with this id, or undefined. */
  get(id: string): Promise<Article | undefined>;
  /** The article at this public URL, or undefined; canonicalized as the contract says. */
  find(url: string): Promise<Article | undefined>;
  /** The ids of all articles, in no promised order. */
  ids(): Iterable<string>;
}

/** What a plugin's `setup` is handed. */
export interface PluginHost<O = unknown> {
  /** Where the code runs: `receiver` in the process that answers the webhook, `builder` in the thread that builds pages. */
  readonly role: 'receiver' | 'builder';
  /** The site's address, absolute, without a trailing slash. */
  readonly siteUrl: string;
  /** The site's folder. */
  readonly siteDir: string;
  readonly log: Log;
  /** The plugin's own options, as its `options.parse` returned them. */
  readonly options: O;
  /** Further HTTP routes; the webhook's path and /healthz cannot be taken. */
  readonly router: Router;
  readonly articles: ArticleReader;
  addFilter<N extends FilterName>(name: N, handler: FilterHandler<N>, options?: { priority?: number }): void;
  addAction<N extends ActionName>(name: N, handler: ActionHandler<N>, options?: { priority?: number }): void;
  /** Adds files to the site, such as `llms.txt`; they are made in the thread that builds pages. */
  addOutput(output: SiteOutput): void;
  /** Runs a filter; for first-party plugins and plugins with hooks of others to run (see `createHooks`). */
  applyFilters<N extends FilterName>(
    name: N,
    value: Filters[N]['value'],
    context: Filters[N]['context'],
  ): Promise<Filters[N]['value']>;
  /** Runs an action; for first-party plugins and plugins with hooks of others to run (see `createHooks`). */
  doAction<N extends ActionName>(name: N, payload: Actions[N]): Promise<void>;
  /** Runs when the service stops, before it exits; it may take a few seconds. */
  onClose(dispose: () => unknown): void;
}

/** A plugin; made with `definePlugin`. */
export interface Plugin<O = unknown> {
  readonly name: string;
  readonly version?: string;
  /** Names of plugins that must be set up before this one. */
  readonly requires?: readonly string[];
  /** Checks the options from the config; anything with `parse`, such as a zod schema. */
  readonly options?: { parse(value: unknown): O };
  setup(host: PluginHost<O>): void | Promise<void>;
}

/** A plugin with the options that the config gives it. */
export interface PluginEntry {
  readonly plugin: Plugin;
  readonly options?: unknown;
  /** Where it came from, for messages. */
  readonly origin: string;
  /** Its module, absolute; undefined for one that the config holds itself. */
  readonly file?: string;
  /** Whether it comes with Pressmark: its handlers run before those of all other plugins. @default false */
  readonly isFirstParty?: boolean;
  /** Gets the error of a plugin that cannot be used, and the start goes on without that plugin. Without this function, the start fails. */
  readonly onFailure?: (error: PressmarkError) => void;
}

/** Types a plugin's options through to its `setup`. */
export function definePlugin<O>(plugin: Plugin<O>): Plugin<O> {
  return plugin;
}

/** A running plugin host; see `startHost`. */
export interface Host {
  readonly hooks: Hooks;
  /** The plugins' routes; undefined where there are no plugins. */
  readonly router: Router | undefined;
  /** Files of the site that plugins make. */
  readonly outputs: readonly PluginOutput[];
  /** Runs `host.closing`, then disposes of plugins, last set up first. */
  close(): Promise<void>;
}

/** What every plugin of a host is handed alike. */
export interface HostSurroundings {
  readonly role: 'receiver' | 'builder';
  readonly siteUrl: string;
  readonly siteDir: string;
  readonly log: Log;
  readonly articles: ArticleReader;
  /** The registry of hooks, where somebody needs it before the plugins are set up. @default a new one */
  readonly hooks?: Hooks;
}

/**
 * Sets up the plugins in the order given, each after those it requires, and ends registration. Where one fails, those
 * that were set up before it are closed.
 *
 * @param limits how long plugins may take. @default 10 s for each `setup`, 2 s for `host.closing`, 8 s for each disposer
 * @throws PressmarkError PLUGIN_INVALID, naming the plugin and where it came from.
 */
export async function startHost(
  entries: readonly PluginEntry[],
  around: HostSurroundings,
  { setupMs, closingMs, disposeMs }: PluginLimits = LIMITS,
): Promise<Host> {
  const limits = around.role === 'builder' ? { mostTimeouts: 3 } : {};
  const { hooks = createHooks(around.log, limits), ...surroundings } = around;
  const disposers: Disposer[] = [];
  const outputs: PluginOutput[] = [];
  // Loaded where it is needed, which is not where pages are built without plugins.
  const router = entries.length === 0 ? undefined : new (await import('@koa/router')).default();
  if (router !== undefined) {
    try {
      for (const entry of inOrder(entries)) await add(entry, router);
    } catch (error) {
      await dispose(); // else the timers and connections of those set up before keep the process alive
      throw error;
    }
    router.register = refuseRoutes;
  }
  hooks.seal();

  async function add(entry: PluginEntry, router: Router): Promise<void> {
    const { plugin, options, origin, isFirstParty = false } = entry;
    const { name } = plugin;
    const host: PluginHost = {
      ...surroundings,
      log: around.log.child({ plugin: name }, { redact: REDACTION }),
      options: undefined,
      router,
      addFilter: (hook, handler, { priority } = {}) =>
        hooks.addFilter(hook, handler, {
          plugin: name,
          isFirstParty,
          ...(priority !== undefined && { priority }),
        }),
      addAction: (hook, handler, { priority } = {}) =>
        hooks.addAction(hook, handler, {
          plugin: name,
          isFirstParty,
          ...(priority !== undefined && { priority }),
        }),
      addOutput: (output) => {
        hooks.checkOpen(name, `output ${quote(output.path)}`);
        checkOutput({ plugin: name, output }, outputs);
        outputs.push({ plugin: name, output });
      },
      applyFilters: hooks.applyFilters,
      doAction: hooks.doAction,
      onClose: (dispose) => disposers.push({ plugin: name, dispose }),
    };
    try {
      await setUp(entry, { ...host, options: parseOptions(plugin, options, origin) }, setupMs);
    } catch (error) {
      leaveOut(entry, error);
    }
  }

  async function close(): Promise<void> {
    await within(closingMs, hooks.doAction('host.closing', {}), () => undefined);
    await dispose();
  }

  /** Side by side, last set up first: what one of them has to flush must not cost another its time. */
  async function dispose(): Promise<void> {
    await Promise.all(disposers.splice(0).reverse().map(disposeOf));
  }

  async function disposeOf({ plugin, dispose }: Disposer): Promise<void> {
    const late = () =>
      around.log.warn({ plugin }, `plugin is not closed after ${disposeMs} ms; it is left behind`);
    try {
      await within(disposeMs, (async () => dispose())(), late);
    } catch (error) {
      around.log.error({ plugin, err: error }, 'plugin could not be closed');
    }
  }

  return { hooks, router, outputs, close };
}

/** What is served must not change while it is served. */
function refuseRoutes(): never {
  throw new PressmarkError('PLUGIN_INVALID', 'a route was added after the start; add routes in setup()');
}

async function setUp({ plugin, origin }: PluginEntry, host: PluginHost, limitMs: number): Promise<void> {
  try {
    await within(limitMs, (async () => plugin.setup(host))(), () => {
      throw new PressmarkError(
        'PLUGIN_INVALID',
        `plugin ${plugin.name} (${origin}) is not set up after ${limitMs / 1_000} s; its setup() must come to an end`,
      );
    });
  } catch (error) {
    if (error instanceof PressmarkError) throw error;
    throw new PressmarkError(
      'PLUGIN_INVALID',
      `plugin ${plugin.name} (${origin}) could not be set up: ${messageOf(error)}`,
      { cause: error },
    );
  }
}

/** Does without a plugin that can be done without. */
function leaveOut({ onFailure }: PluginEntry, error: unknown): void {
  if (onFailure === undefined || !(error instanceof PressmarkError)) throw error;
  onFailure(error);
}

function parseOptions(plugin: Plugin, options: unknown, origin: string): unknown {
  if (plugin.options === undefined) {
    if (options === undefined) return undefined;
    throw new PressmarkError(
      'PLUGIN_INVALID',
      `plugin ${plugin.name} (${origin}) takes no options; remove them from the config`,
    );
  }
  try {
    return plugin.options.parse(options ?? {});
  } catch (error) {
    throw new PressmarkError(
      'PLUGIN_INVALID',
      `plugin ${plugin.name} (${origin}): its options are wrong: ${messageOf(error)}`,
      { cause: error },
    );
  }
}

/**
 * Checks that what a file or the config has given is a plugin.
 *
 * @param origin where it came from, for the error.
 * @throws PressmarkError PLUGIN_INVALID.
 */
function checkPlugin(plugin: unknown, origin: string): void {
  const complain = (what: string) =>
    new PressmarkError(
      'PLUGIN_INVALID',
      `${origin} is not a plugin: ${what}; export default definePlugin({ name, setup })`,
    );
  if (typeof plugin !== 'object' || plugin === null) throw complain('it has no default export');
  const { name, setup }: { name?: unknown; setup?: unknown } = plugin;
  if (typeof name !== 'string' || name === '') throw complain('its name is missing');
  if (typeof setup !== 'function') throw complain('it has no setup function');
}

/** Checks the manifests and puts every plugin behind those it requires, else leaves the order alone. */
function inOrder(entries: readonly PluginEntry[]): PluginEntry[] {
  const byName = new Map<string, PluginEntry>();
  for (const entry of entries) {
    try {
      checkPlugin(entry.plugin, entry.origin);
      const { name } = entry.plugin;
      const other = byName.get(name);
      if (other !== undefined) {
        const both = `${other.origin} and ${entry.origin}`;
        throw new PressmarkError(
          'PLUGIN_INVALID',
          `two plugins are named ${quote(name)}: ${both}; remove one`,
        );
      }
      byName.set(name, entry);
    } catch (error) {
      leaveOut(entry, error);
    }
  }
  const ordered = new Set<PluginEntry>();
  const visit = (entry: PluginEntry, path: readonly string[]): void => {
    const { name, requires = [] } = entry.plugin;
    if (ordered.has(entry)) return;
    if (path.includes(name))
      throw new PressmarkError(
        'PLUGIN_INVALID',
        `plugins require each other in a circle: ${[...path, name].join(' -> ')}`,
      );
    for (const needed of requires) {
      const other = byName.get(needed);
      if (other === undefined) {
        throw new PressmarkError(
          'PLUGIN_INVALID',
          `plugin ${name} (${entry.origin}) requires ${quote(needed)}, which is not there; add it to plugins in the config`,
        );
      }
      visit(other, [...path, name]);
    }
    ordered.add(entry);
  };
  for (const entry of byName.values()) {
    try {
      visit(entry, []);
    } catch (error) {
      leaveOut(entry, error);
    }
  }
  return [...ordered];
}
