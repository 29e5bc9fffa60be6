import { join } from 'node:path';
import type Router from '@koa/router';
import { messageOf, PressmarkError, quote } from '../errors.js';
import { type Log, REDACTION } from '../log.js';
import { within } from '../time-limit.js';
import { type AdminAdditions, createAdminAdditions } from './admin/additions.js';
import type { ReceiverReport } from './admin/plugin-report.js';
import type { ArticleReader, Assets } from './articles/articles.js';
import type { HostArticles } from './articles/edits.js';
import { receivingOnce } from './articles/receive-once.js';
import { findingsOf, type HealthCheck, type PluginFinding } from './health.js';
import { Hold, Refusal } from './hooks/filter-results.js';
import type { ActionName, Face, FilterName } from './hooks/hook-types.js';
import { createHooks, type Hooks } from './hooks/hooks.js';
import { checkedAdapter, type PluginAdapter, pathsOf } from './http/adapter.js';
import { answerOf } from './http/adapter-answer.js';
import { createRoutes, routesIn, type ServedBelow, sealRoutes, servedBy } from './http/routes.js';
import { checkKeys, invalid, misuseOf } from './invalid.js';
import { createJobs, type Jobs } from './jobs/jobs.js';
import { JOBS } from './jobs/notes.js';
import { noRecords, readingOnly, refusing } from './no-receiver.js';
import { checkOutput, type PluginOutput } from './pages/outputs.js';
import { addingTo, noAdditions, type PageAdditions } from './pages/page-additions.js';
import type { HostPaths, HostSite, PluginEntry, PluginHost, ReceiverHost } from './plugin.js';
import { asHost, asPlugin } from './plugin-code.js';
import type { SiteRecords } from './records.js';
import { createServices, type Services } from './services.js';
import { activateOnce } from './setup/activation.js';
import { inOrder } from './setup/manifests.js';
import { parsedOptions, secretsOf } from './setup/plugin-settings.js';
import { openStorage } from './storage.js';

/** How long a plugin may take to load, and to set up, in milliseconds. */
export const READY_MS = 30_000;

/** How long plugins may take to start and to stop, in milliseconds; the whole stop has 10 s. */
export interface PluginLimits {
  /** For each `receiver` and `pages`. */
  readonly setupMs: number;
  /** For each `activate`, which may change many articles. */
  readonly activateMs: number;
  /**
   * For all handlers of `host.closing` together, and for all running jobs. It is short because the disposers, which flush
   * commits and pages, need time too.
   */
  readonly closingMs: number;
  /** For each disposer. */
  readonly disposeMs: number;
}

const LIMITS: PluginLimits = { setupMs: READY_MS, activateMs: 60_000, closingMs: 2_000, disposeMs: 8_000 };

interface Disposer {
  readonly plugin: string;
  readonly dispose: () => unknown;
}

/** The part of the host that both faces of a plugin get. */
type CommonHost = PluginHost<unknown, FilterName, ActionName>;

/** A running plugin host; see `startHost`. */
export interface Host {
  readonly hooks: Hooks;
  /** The routes of plugins. */
  readonly routers: readonly Router[];
  /** The paths that plugins answer with a middleware. */
  readonly served: readonly ServedBelow[];
  /** The plugins' endpoints for other services. */
  readonly adapters: readonly PluginAdapter[];
  /** The files that plugins add to the site. */
  readonly outputs: readonly PluginOutput[];
  /** What plugins add to pages besides. */
  readonly additions: PageAdditions;
  /** What plugins add to the admin. */
  readonly admin: AdminAdditions;
  /** What the plugins have registered, and how their calls went. */
  report(): ReceiverReport;
  /** Runs the health checks of the plugins. */
  findings(): Promise<PluginFinding[]>;
  /** Runs `host.closing`, then disposes of plugins, last set up first. */
  close(): Promise<void>;
}

/** What a host needs to know to set up its plugins. */
export interface HostContext {
  readonly face: Face;
  readonly site: HostSite;
  readonly paths: HostPaths;
  /** The state folder, which also holds the plugins' folders. */
  readonly stateDir: string;
  readonly log: Log;
  readonly articles: ArticleReader & Partial<HostArticles>;
  /** The records of the site, in a receiver. @default none */
  readonly records?: SiteRecords;
  /** Where plugins store files. @default none: no receiver is running */
  readonly assets?: Assets;
  /** The paths that the server answers itself, without trailing slashes, and their owners. @default none */
  readonly taken?: ReadonlyMap<string, string>;
  /** The variables of `.env` and the environment, for the secrets of plugins. @default none */
  readonly environment?: NodeJS.Dict<string>;
  /** The services that Pressmark provides, in a receiver. @default none */
  readonly services?: (host: Host) => Partial<Services>;
  /** The registry of hooks, if it is needed before the plugins are set up. @default a new one */
  readonly hooks?: Hooks;
  /** The jobs of plugins, in a running receiver. @default no job is run, and no plugin is activated */
  readonly jobs?: Jobs;
}

/**
 * Sets up one face of the plugins in the given order, each after the plugins that it requires, and ends registration. If a
 * plugin fails, the plugins before it are closed.
 *
 * @param limits how long plugins may take. @default 30 s for each, 60 s for `activate`, 2 s for `host.closing`, 8 s for each
 *   disposer
 * @throws PressmarkError PLUGIN_INVALID, naming the plugin and where it came from.
 */
export async function startHost(
  entries: readonly PluginEntry[],
  around: HostContext,
  { setupMs, activateMs, closingMs, disposeMs }: PluginLimits = LIMITS,
): Promise<Host> {
  const { face, site, paths, stateDir, articles, environment = {} } = around;
  const { hooks = createHooks(around.log, { face, ...(face === 'pages' && { mostFailures: 3 }) }) } = around;
  const jobs = around.jobs ?? createJobs({ folder: join(stateDir, JOBS), log: around.log });
  const disposers: Disposer[] = [];
  const outputs: PluginOutput[] = [];
  const routers: Router[] = [];
  const served: ServedBelow[] = [];
  const owners = new Map<Router, string>();
  const adapters: PluginAdapter[] = [];
  const services = createServices();
  const additions = noAdditions();
  const admin = createAdminAdditions();
  const checks: { readonly plugin: string; readonly check: HealthCheck }[] = [];
  const taken = new Map(around.taken);
  const host: Host = {
    hooks,
    routers,
    served,
    adapters,
    outputs,
    additions,
    admin: admin.all,
    report,
    findings,
    close,
  };
  try {
    for (const [name, service] of Object.entries(around.services?.(host) ?? {}))
      services.provide('pressmark', name, service);
    const ordered = inOrder(entries);
    for (const { plugin } of ordered) {
      hooks.declare('action', plugin.hooks?.actions ?? []);
      hooks.declare('filter', plugin.hooks?.filters ?? []);
    }
    for (const entry of ordered) await add(entry);
  } catch (error) {
    await dispose(); // else the timers and connections of those set up before keep the process alive
    throw error;
  }
  hooks.seal();

  async function add(entry: PluginEntry): Promise<void> {
    const { plugin } = entry;
    const options = await stepOf(entry, 'set up', 'options must be checked', setupMs, () =>
      parsedOptions(entry),
    );
    const common = { ...commonHost(entry), options };
    if (face === 'pages') await setUpPages(entry, common);
    else if (plugin.receiver !== undefined || plugin.activate !== undefined)
      await setUpReceiver(entry, common);
  }

  async function setUpPages(entry: PluginEntry, common: CommonHost): Promise<void> {
    const { plugin } = entry;
    const addOutput = (output: PluginOutput['output']) => {
      hooks.checkOpen(plugin.name, `output ${quote(output.path)}`);
      checkOutput({ plugin: plugin.name, output }, outputs);
      outputs.push({ plugin: plugin.name, output });
    };
    const pagesHost = { ...common, ...addingTo(additions, plugin.name, hooks.checkOpen), addOutput };
    await stepOf(entry, 'set up', 'pages(host) must resolve', setupMs, async () => plugin.pages?.(pagesHost));
  }

  async function setUpReceiver(entry: PluginEntry, common: CommonHost): Promise<void> {
    const { plugin, origin, isFirstParty } = entry;
    const { name, version, activate } = plugin;
    const secrets = secretsOf(plugin, origin, environment);
    const folder = pluginFolder(stateDir, name);
    const storage = openStorage(name, folder);
    const requests = openStorage(name, join(folder, 'requests'));
    const router = isFirstParty ? undefined : await createRoutes(name);
    const ofPlugin = { ...readingOnly(name), ...outsidePlugin(entry, articles) };
    const receiverHost: ReceiverHost = {
      ...common,
      secrets,
      storage,
      ...jobsOf(entry, common.log),
      ...answeringOf(entry, router, secrets),
      ...(around.records ?? noRecords(name)),
      ...sharingOf(name),
      admin: admin.addingOf(name, common.log, hooks.checkOpen),
      hold: (reason) => new Hold(reason),
      refuse: (status, words) => new Refusal(status, words),
      articles: { ...ofPlugin, receive: receivingOnce(ofPlugin, requests) },
      assets: checkedAssets(around.assets ?? { put: refusing(name) }),
    };
    await stepOf(entry, 'set up', 'receiver(host) must resolve', setupMs, async () =>
      plugin.receiver?.(receiverHost),
    );
    if (activate !== undefined && around.jobs !== undefined)
      await activateOnce(folder, version, (context) =>
        stepOf(entry, 'activated', 'activate(host) must resolve', activateMs, async () =>
          activate(receiverHost, context),
        ),
      );
    if (router === undefined || router.stack.length === 0) return;
    sealRoutes(router, name);
    routers.push(router);
    owners.set(router, name);
  }

  /** The methods by which a plugin answers requests. @param router undefined for a first-party plugin */
  function answeringOf(
    entry: PluginEntry,
    router: Router | undefined,
    secrets: ReceiverHost['secrets'],
  ): Pick<ReceiverHost, 'routes' | 'serve' | 'adapter' | 'answer'> {
    const { name } = entry.plugin;
    return {
      routes: (define) => {
        hooks.checkOpen(name, 'routes');
        if (router !== undefined) define(router);
      },
      serve: (handler) => {
        hooks.checkOpen(name, 'a handler');
        served.push(servedBy(name, handler, (call) => runAsPlugin(entry, call)));
      },
      adapter: (given) => {
        hooks.checkOpen(name, 'an adapter');
        const added = checkedAdapter(name, given, secrets, taken);
        for (const path of pathsOf(added)) taken.set(path, `plugin ${name} (${entry.origin})`);
        adapters.push(added);
      },
      answer: (status, body, headers = {}) => answerOf(name, status, body, headers),
    };
  }

  /** The part of the host that both faces of a plugin get. */
  function commonHost({ plugin: { name }, isFirstParty }: PluginEntry) {
    const common: Omit<CommonHost, 'options'> = {
      site,
      paths,
      articles,
      log: around.log.child({ plugin: name }, { redact: REDACTION }),
      ...hooks.ofPlugin(name, isFirstParty),
      onClose: (dispose) => disposers.push({ plugin: name, dispose }),
    };
    return common;
  }

  function jobsOf({ plugin }: PluginEntry, log: Log): Pick<ReceiverHost, 'job' | 'cron'> {
    const owner = () => ({ plugin: plugin.name, log, actions: hooks.actions(), timeZone: site.timeZone });
    return {
      job: (name, job) => {
        hooks.checkOpen(plugin.name, `job ${quote(name)}`);
        jobs.addJob(owner(), name, job);
      },
      cron: (name, cron) => {
        hooks.checkOpen(plugin.name, `cron ${quote(name)}`);
        jobs.addCron(owner(), name, cron);
      },
    };
  }

  function sharingOf(plugin: string): Pick<ReceiverHost, 'provide' | 'use' | 'health'> {
    return {
      provide: (name, service) => {
        hooks.checkOpen(plugin, `the service ${quote(name)}`);
        services.provide(plugin, name, service);
      },
      use: (name) => services.use(plugin, name),
      health: (check) => {
        hooks.checkOpen(plugin, 'a health check');
        if (typeof check !== 'function')
          throw invalid(`plugin ${plugin}: its health check is not a function`);
        checks.push({ plugin, check });
      },
    };
  }

  async function findings(): Promise<PluginFinding[]> {
    return (await Promise.all(checks.map(({ plugin, check }) => findingsOf(plugin, check)))).flat();
  }

  async function close(): Promise<void> {
    await Promise.all([
      within(closingMs, hooks.doAction('host.closing', {}), () => undefined),
      jobs.close(closingMs),
    ]);
    await dispose();
  }

  /** Runs all disposers at once, the last one set up first, so that a slow one does not take another's time. */
  async function dispose(): Promise<void> {
    await Promise.all(disposers.splice(0).reverse().map(disposeOf));
  }

  async function disposeOf({ plugin, dispose }: Disposer): Promise<void> {
    const late = () =>
      around.log.warn(
        { plugin },
        `the plugin has not closed after ${disposeMs} ms; the receiver stops without it`,
      );
    try {
      await within(
        disposeMs,
        asPlugin(plugin, async () => dispose()),
        late,
      );
    } catch (error) {
      around.log.error({ plugin, err: error }, 'plugin could not be closed');
    }
  }

  function report(): ReceiverReport {
    const own = [...owners].flatMap(([router, plugin]) =>
      routesIn(router).map((route) => ({ plugin, route })),
    );
    const ofAdapters = adapters.flatMap((adapter) =>
      adapter.routes.map(({ method, path }) => ({
        plugin: adapter.plugin,
        route: `${method} ${adapter.path}${path}`,
      })),
    );
    return { hooks: hooks.report(), jobs: jobs.report(), routes: [...own, ...ofAdapters] };
  }

  return host;
}

/** The folder of a plugin. @param stateDir the site's state folder. */
export function pluginFolder(stateDir: string, plugin: string): string {
  return join(stateDir, 'plugins', plugin);
}

/** Runs code as the plugin's; first-party code runs directly. */
function runAsPlugin<T>({ plugin, isFirstParty }: PluginEntry, run: () => T): T {
  return isFirstParty ? run() : asPlugin(plugin.name, run);
}

/** The articles, for a plugin. Their methods run as code of the host, and functions that they are given as the plugin's. */
function outsidePlugin(entry: PluginEntry, articles: HostContext['articles']): HostContext['articles'] {
  const ofPlugin = (given: unknown) =>
    typeof given === 'function' ? (...args: unknown[]) => runAsPlugin(entry, () => given(...args)) : given;
  return Object.fromEntries(
    Object.entries(articles).map(([name, method]) => [
      name,
      (...args: unknown[]) => asHost(() => Reflect.apply(method, articles, args.map(ofPlugin))),
    ]),
  ) as unknown as HostContext['articles']; // the same methods
}

function checkedAssets({ put }: Assets): Assets {
  return {
    put: async (bytes, name = {}) => {
      checkKeys(name, ['type', 'article', 'variant'], misuseOf('assets.put'));
      return put(bytes, name);
    },
  };
}

/** The codes of errors that name the plugin. */
const NAMING: ReadonlySet<string> = new Set(['PLUGIN_INVALID', 'HOOK_UNKNOWN']);

/**
 * Runs a step of a plugin's setup, such as its `receiver`.
 *
 * @param done the past participle for messages, such as `set up`.
 * @param must what must happen sooner if it takes too long.
 * @throws PressmarkError PLUGIN_INVALID, naming the plugin, if it fails or takes longer than `ms`.
 */
async function stepOf<T>(
  entry: PluginEntry,
  done: string,
  must: string,
  ms: number,
  run: () => Promise<T>,
): Promise<T> {
  const who = `plugin ${entry.plugin.name} (${entry.origin})`;
  try {
    return await within(ms, runAsPlugin(entry, run), () => {
      throw invalid(`${who} is not ${done} after ${ms / 1_000} s; its ${must} sooner`);
    });
  } catch (error) {
    // Errors of first-party plugins are about the config, not the plugin.
    if (error instanceof PressmarkError && (entry.isFirstParty || NAMING.has(error.code))) throw error;
    throw invalid(`${who} could not be ${done}: ${messageOf(error)}`, error);
  }
}
