import fs from 'node:fs';
import { join } from 'node:path';
import { asciiSlugOf } from '../article/slug.js';
import { readEnvironment, type Settings } from '../config/load.js';
import { headerNames } from '../contract/service.js';
import { readDeployState } from '../deploy/deploy-queue.js';
import { messageOf } from '../errors.js';
import type { FileChange } from '../host/hook-types.js';
import { createHooks } from '../host/hooks.js';
import { type Host, type HostSurroundings, startHost } from '../host/host.js';
import { createJobs, JOBS } from '../host/jobs/jobs.js';
import type { ThemeFolder } from '../host/page-additions.js';
import type { PluginEntry } from '../host/plugin.js';
import type { SiteRecords } from '../host/records.js';
import type { Log } from '../log.js';
import { refuseForeignOutput } from '../site/builder/ownership.js';
import type { ContentChange } from '../store/catalog/scan.js';
import { snapshotOf } from '../store/catalog/snapshot.js';
import { type OpenStore, warnOfBroken } from '../store/open-store.js';
import { adapterEndpoint } from '../webhook/adapter.js';
import { createBodyReader } from '../webhook/body-reader.js';
import { createDryRun } from '../webhook/dry-run.js';
import type { Surroundings } from '../webhook/handler.js';
import { webhook } from '../webhook/middleware.js';
import { createReceiver } from '../webhook/receive.js';
import { createArticleReceiver } from '../webhook/receive-article.js';
import { createArticleChanges } from './articles/host-articles.js';
import { createPersonEdits } from './articles/person-edits.js';
import { createArticleSearch } from './articles/search-articles.js';
import { refuseArticlesElsewhere } from './articles/stored-urls.js';
import { answerAt, createTrash } from './articles/trash-articles.js';
import { forgetOldAddresses } from './build/addresses.js';
import { themeFolder } from './builder/theme.js';
import { createCodecInThread } from './content/article-codec.js';
import { contentOf, reservePaths } from './content/content.js';
import { contentPrefix, foldersOf } from './content/folders.js';
import { builderOf, openDeploy } from './deploy.js';
import { createDoctor } from './doctor/doctor-process.js';
import { type DurableStore, openDurableStore } from './durability.js';
import { firstPartyPlugins } from './plugins/first-party.js';
import { loadPlugins } from './plugins/load-plugins.js';
import { notePlugins, pagesReport } from './plugins/plugin-report.js';
import { createPluginsService } from './plugins/plugins-service.js';
import { idleJobs, idlePages, runsPages, siteOfPlugins } from './plugins/surroundings.js';
import { openDeliveryLog } from './records/delivery-log.js';
import { recordsPlugin } from './records/plugin.js';
import { announceReceiver, type RunningReceiver } from './running-receivers.js';
import { schedulePlugin } from './schedule.js';
import { type LiveSecrets, openSecrets } from './secrets.js';
import { createHealth, type Health } from './server/health.js';
import { createLiveReload, type LiveReload } from './server/live-reload.js';
import { createPagePolicy } from './server/page-policy.js';
import { createServer, type Server } from './server/server.js';
import { createSetupService } from './setup.js';
import { refuseUnknownAddress } from './site-address.js';
import { notedFacts, siteStatus } from './status.js';

// For the commands, which know the app and not the host.
export { type Guard, guardAgainstPlugins } from '../host/guard.js';
export { definePlugin, type Plugin } from '../host/plugin.js';

/** A running receiver. */
export interface App {
  /** The port that is listened on. */
  readonly port: number;
  /** The path below which the site stands, `''` for the root. */
  readonly basePath: string;
  /** Stops accepting, finishes what is in flight, flushes plugins, lets go of everything. */
  close(): Promise<void>;
}

export interface StartOptions {
  /** Plugins besides those of the config. */
  readonly further?: readonly PluginEntry[];
  /** Whether somebody reads the log along; the builder's thread, which logs for itself, must know. @default false */
  readonly terminal?: boolean;
  /** Whether the site has no address yet, and articles get that of this machine. @default false */
  readonly preview?: boolean;
  /**
   * Whether browsers on this machine reload a page when the site has changed: where a person looks at the site, and no
   * proxy hands requests of others on. @default false
   */
  readonly live?: boolean;
}

/**
 * Starts the receiver of one site: recover, load plugins, listen.
 *
 * @throws PressmarkError CONFIG_INVALID, LOCK_HELPER_MISSING, PLUGIN_INVALID, PORT_UNAVAILABLE, …; nothing is left running then.
 */
export async function startApp(
  settings: Settings,
  log: Log,
  { further = [], terminal = false, preview = false, live = false }: StartOptions = {},
): Promise<App> {
  refuseUnknownAddress(settings, { preview });
  const { outputDir, stateDir } = foldersOf(settings);
  themeFolder(settings); // what is wrong with it is said here, and not by each build
  if (settings.site !== false) refuseForeignOutput(foldersOf(settings), settings.output);
  forgetOldAddresses(settings);
  const inThisThread = contentOf(settings);
  const thread = createCodecInThread(settings);
  const content = { ...inThisThread, codec: thread.codec };
  const prefix = contentPrefix(settings);

  let host: Host | undefined;
  let liveReload: LiveReload | undefined;
  let server: Server | undefined;
  const onChange = (changes: readonly ContentChange[]) => {
    for (const change of changes) void reportChange(host, change, prefix);
  };
  let folders: readonly ThemeFolder[] = [];
  const pagePolicy = createPagePolicy(settings, () => folders);
  const secrets = openSecrets(settings);
  const deliveries = openDeliveryLog(stateDir, log, () => secretsOf(settings, secrets));
  const jobs = createJobs({ folder: join(stateDir, JOBS), log });
  const hooks = createHooks(log, { note: jobs.noteAction });
  // The last receiver has saved what it knew of the articles.
  const since = fs.statSync(snapshotOf(stateDir, content).path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const durable = await openDurableStore({ settings, content, log, hooks, onChange }).catch(
    async (error: unknown) => {
      await thread.close();
      throw error;
    },
  );
  const { opened, articles } = durable;
  report(opened, log, terminal);
  try {
    const { store, catalog } = opened;
    refuseArticlesElsewhere(settings, catalog.entries());
    const basePath = new URL(settings.siteUrl).pathname.replace(/\/$/, '');
    liveReload = live ? createLiveReload(basePath) : undefined;
    const {
      entry: deploy,
      facts,
      targets,
    } = await openDeploy({
      settings,
      articles,
      commits: durable.git !== undefined || settings.durability === 'push',
      pushes: durable.pushes,
      log,
    });
    const around = { ...siteOfPlugins(settings), environment: readEnvironment(settings), log, articles };
    const own = await loadPlugins(settings.dir, settings.plugins);
    const pages = await pagesOf(runsPages(settings) ? [...further, ...own] : [], around);
    folders = pages.folders;
    const finder = createArticleSearch({ store, catalog, prefix, log });
    const plugins = [
      ...further,
      { plugin: pagePolicy.plugin, origin: 'the preview', isFirstParty: true },
      ...(liveReload === undefined
        ? []
        : [{ plugin: liveReload.plugin, origin: 'the preview', isFirstParty: true }]),
      ...own,
      ...firstPartyPlugins({
        settings,
        terminal,
        log,
        durable,
        sources: pages.sources,
      }),
      deploy,
      { plugin: finder.plugin, origin: 'the list of articles', isFirstParty: true },
      {
        plugin: recordsPlugin({
          settings,
          log,
          catalog,
          by: builderOf(settings),
          targets,
          delivery: deliveries.detail,
        }),
        origin: 'what is kept for people',
        isFirstParty: true,
      },
      // Behind those that look at the same events: what it says of an article counts.
      {
        plugin: schedulePlugin({ catalog, prefix, since }),
        origin: 'the dates of articles',
        isFirstParty: true,
      },
    ];
    const surroundings: Surroundings = {
      store,
      hooks,
      readLong: thread.readLong,
      noteJobs: jobs.noteArticle,
      log,
      deleted: durable.deleted,
      maxAgeMs: settings.replay.maxAge,
      slug: slugMaker(settings),
      isOwnKey: content.format.isOwnKey,
      changeOf: (stored) => ({ ...stored, path: `${prefix}${stored.path}` }),
    };
    const receiveArticle = createArticleReceiver(surroundings);
    const ofArticles = { store, catalog, content, prefix, around: surroundings };
    const { setStateAs, ...changes } = createArticleChanges({ ...ofArticles, receive: receiveArticle });
    const edits = createPersonEdits({ ...ofArticles, settings, editors: durable.editors, setStateAs });
    const trash = createTrash({
      store,
      catalog,
      stateDir,
      prefix,
      siteUrl: settings.siteUrl,
      editors: durable.editors,
      deleted: durable.deleted,
      hooks,
      commit: durable.commitTrash,
      refusal:
        settings.durability === 'push'
          ? 'with durability: push, remove the file in a clone, commit and push that'
          : undefined,
    });
    const writing = { ...articles, ...changes, ...edits, search: finder.search, ...trash };
    const names = headerNames(settings.service);
    const dryRun = createDryRun(names, surroundings);
    const doctor = createDoctor(settings, log);
    const records: SiteRecords = {
      deliveries: deliveries.list,
      delivery: deliveries.detail,
      dryRun: async (key) => {
        const detail = await deliveries.detail(key);
        return detail && dryRun(detail);
      },
      refusals: deliveries.refusals,
      lastSeen: async () => ({ ...notedFacts(settings), facts: facts() }),
      doctor: async (again) => doctor.report(again),
      status: async () => ({ ...(await siteStatus(settings)) }),
    };
    const { assets } = durable;
    const services = {
      plugins: createPluginsService({
        settings,
        plugins: own,
        pages: pages.report,
        jobs,
        host: () => host,
        log,
      }),
      setup: createSetupService(settings, secrets, facts, log),
    };
    const receiving = { articles: writing, assets, records, services, hooks, jobs };
    const running = await startHost(plugins, { face: 'receiver', ...around, ...receiving });
    host = running;
    for (const reason of [
      ...idlePages(plugins, settings, pages.report.hooks, pages.calls),
      ...idleJobs(host.report().jobs, settings),
    ])
      log.warn(reason);
    reservePaths(content, settings, pages.urls);
    reservePaths(
      content,
      settings,
      host.adapters.map(({ path }) => path),
    );
    for (const url of content.reservedUrls)
      for (const { path } of catalog.byUrl(url))
        log.warn(
          { path, url },
          'an article has an address that the receiver answers itself; see pressmark doctor',
        );
    const receive = createReceiver(secrets.now, names, surroundings);
    // Not the webhook's: strangers who send to an adapter must not keep a delivery from being read.
    const readBody = createBodyReader();
    const disk = createHealth(content, stateDir);
    server = createServer({
      webhook: webhook({
        endpoint: settings.endpoint,
        names,
        receive: async (delivery) => disk.counted(await receive(delivery)),
        hooks,
        log,
        notes: deliveries.notes,
      }),
      adapters: host.adapters.map((adapter) =>
        adapterEndpoint(adapter, {
          receive: receiveArticle,
          counted: disk.counted,
          readBody,
          hooks,
          log,
          notes: deliveries.notes,
        }),
      ),
      routers: host.routers,
      served: host.served,
      health: healthOf(durable, disk),
      details: async () => ({
        durability: settings.durability,
        push: durable.pushes?.now ?? null,
        facts: facts(),
        targets: readDeployState(stateDir),
        plugins: await running.findings(),
      }),
      statusToken: settings.statusToken,
      outputDir,
      basePath,
      gone: (path) => answerAt(stateDir, settings.siteUrl, path),
      policy: pagePolicy.now,
      liveReload,
      endpoint: settings.endpoint,
      log,
    });
    const port = await server.listen(settings.port, settings.host);
    thread.start(); // not before: the start is to be short
    const endAnnouncement = await announce(stateDir, log, {
      pid: process.pid,
      port,
      host: settings.host,
      since: new Date().toISOString(),
      commits: durable.git !== undefined,
      siteUrl: settings.siteUrl,
      preview,
    });
    jobs.start(articles);
    const noteLast = notePlugins(stateDir, host, plugins, log);
    void hooks.doAction('host.ready', { url: `http://localhost:${port}` });
    return {
      port,
      basePath,
      close: async () => {
        liveReload?.close();
        doctor.close();
        endAnnouncement();
        await server?.close();
        await host?.close();
        await deliveries.close();
        await noteLast();
        await durable.close();
        await thread.close();
      },
    };
  } catch (error) {
    liveReload?.close();
    await server?.close();
    await host?.close();
    await durable.close();
    await thread.close();
    throw error;
  }
}

/** What plugins have where pages are made: their hooks, the URLs of their files, which no article gets, and what else their pages depend on. */
async function pagesOf(plugins: readonly PluginEntry[], around: Omit<HostSurroundings, 'face'>) {
  if (plugins.every(({ plugin }) => plugin.pages === undefined))
    return { report: { hooks: [], outputs: [] }, calls: [], folders: [], urls: [], sources: [] };
  const host = await startHost(plugins, { ...around, face: 'pages' });
  await host.close();
  const { folders, inputs, calls } = host.additions;
  return {
    report: pagesReport(host),
    calls,
    folders,
    urls: host.outputs
      .filter(({ output }) => output.path !== '')
      .map(({ output }) => `${around.site.url}/${output.path}`),
    sources: [...inputs, ...folders.map(({ dir }) => dir)],
  };
}

/** The counts are for who reads the log later; on a terminal the start has its own words. */
function report({ recovery }: OpenStore, log: Log, terminal: boolean): void {
  const { malformed, ...counts } = recovery;
  log[terminal ? 'debug' : 'info'](counts, 'recovered');
  for (const { path, reason } of malformed) warnOfBroken(log, path, reason);
}

/** Without the announcement, as on a full disk, other commands do not see the receiver; it works as well. */
async function announce(stateDir: string, log: Log, receiver: RunningReceiver): Promise<() => void> {
  try {
    return await announceReceiver(stateDir, receiver);
  } catch (error) {
    log.warn({ reason: messageOf(error) }, 'pressmark status, send and doctor will not see this receiver');
    return () => undefined;
  }
}

/** What a person, `git pull` or another receiver did in the content folder. */
async function reportChange(
  host: Host | undefined,
  { path, before, after }: ContentChange,
  prefix: string,
): Promise<void> {
  const entry = after ?? before;
  if (host === undefined || entry === undefined) return;
  const change: FileChange = { path: `${prefix}${path}`, id: entry.id, url: entry.url };
  const what = before === undefined ? 'article.created' : 'article.edited';
  await host.hooks.doAction(after === undefined ? 'article.removed' : what, change);
}

/** Whether articles can be stored: what the disk says, and where it counts, the remote. */
function healthOf(durable: DurableStore, disk: Health): () => string | undefined {
  return () => {
    const trouble = durable.trouble?.();
    return disk.trouble() ?? (trouble && `articles cannot be stored: ${trouble}`);
  };
}

/** The secrets of the config, as far as they are long enough not to stand anywhere by chance. */
function secretsOf({ secrets, deployHook, gitToken, statusToken }: Settings, { now }: LiveSecrets): string[] {
  return [...secrets, ...now(), deployHook.url, deployHook.token, gitToken, statusToken].flatMap(
    (secret = '') => (secret.length < 8 ? [] : [secret]),
  );
}

/** What makes slugs, where the config asks for more than a safe one. */
function slugMaker({ articles, site }: Settings): Surroundings['slug'] {
  if (articles.slug === 'unicode') return undefined;
  const language = articles.language ?? (site === false ? 'en' : site.language);
  return (suggestion, title, id) => asciiSlugOf(suggestion, title, id, language);
}
