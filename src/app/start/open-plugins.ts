import { asciiSlugOf } from '../../article/address/slug.js';
import { readEnvironment } from '../../config/environment.js';
import type { Settings } from '../../config/load.js';
import { headerNames } from '../../contract/service.js';
import type { ArticleReader } from '../../host/articles/articles.js';
import type { HostArticles } from '../../host/articles/edits.js';
import type { ArticleFinder } from '../../host/articles/search.js';
import { type Host, type HostContext, startHost } from '../../host/host.js';
import { pathsOf } from '../../host/http/adapter.js';
import type { Plugin, PluginEntry } from '../../host/plugin.js';
import type { DeliveryDetail, DryRun, SiteRecords } from '../../host/records.js';
import type { Log } from '../../log.js';
import { dryRun } from '../../webhook/events/dry-run.js';
import type { HandlerContext } from '../../webhook/events/published.js';
import { type ArticleReceiver, createArticleReceiver } from '../../webhook/events/receive-article.js';
import { createArticleChanges } from '../articles/host-articles.js';
import { createPersonEdits } from '../articles/person/edits.js';
import { type ArticleSearcher, createArticleSearch } from '../articles/search-articles.js';
import { createTrash } from '../articles/trash-articles.js';
import { builderOf, reservePaths } from '../content/content.js';
import { basePathOf, foldersOf } from '../content/folders.js';
import { openDeploy, type SiteDeploy } from '../deploy.js';
import { createDoctor } from '../doctor/doctor-process.js';
import { noteFigures } from '../plugins/figures.js';
import { firstPartyPlugins } from '../plugins/first-party.js';
import { idleJobs, idlePages, runsPages, siteOfPlugins } from '../plugins/host-context.js';
import { createPluginsService, pagesReport } from '../plugins/list-plugins.js';
import { loadPlugins } from '../plugins/load-plugins.js';
import { type DeliveryLog, openDeliveryLog } from '../records/delivery-log.js';
import { recordsPlugin } from '../records/plugin.js';
import { schedulePlugin } from '../schedule.js';
import { createSetupService, type LiveSecrets, openSecrets } from '../secrets.js';
import { createLiveReload, type LiveReload } from '../server/live-reload.js';
import { createPagePolicy, type PagePolicy } from '../server/page-policy.js';
import { notedFacts, siteStatusOf } from '../status.js';
import type { ReceiverStore, Starting } from './open-store.js';

/** The running plugins, and further parts that the server needs. */
export interface RunningPlugins {
  readonly host: Host;
  /** The context for handlers of deliveries. */
  readonly context: HandlerContext;
  readonly receiveArticle: ArticleReceiver['receive'];
  readonly secrets: LiveSecrets;
  readonly deliveries: DeliveryLog;
  readonly facts: SiteDeploy['facts'];
  readonly pagePolicy: PagePolicy;
  readonly liveReload: LiveReload | undefined;
  /** The answer at the URL of a removed article; see `PreviewOptions`. */
  readonly gone: (path: string) => string | null | undefined;
}

/**
 * Loads the plugins of the site, adds those that come with Pressmark, and sets them up.
 *
 * @throws PressmarkError PLUGIN_INVALID, CONFIG_INVALID, …
 */
export async function openPlugins(starting: Starting, opened: ReceiverStore): Promise<RunningPlugins> {
  const { settings, log, live, onClose } = starting;
  const { durable, hooks, jobs, content, prefix } = opened;
  const { catalog } = durable;
  const { stateDir } = foldersOf(settings);
  const own = await loadPlugins(settings.dir, settings.plugins);
  const site = { ...siteOfPlugins(settings), environment: readEnvironment(settings), log };
  const pages = await pagesOf(runsPages(settings) ? own : [], {
    ...site,
    articles: durable.articles,
  });
  const deploy = await openDeploy({
    settings,
    articles: durable.articles,
    thread: opened.thread,
    commits: durable.commits,
    pushes: durable.pushes,
    isLiveAwaited: () => jobs.report().some(({ on }) => on === 'article.live'),
    log,
  });
  const liveReload = live ? createLiveReload(basePathOf(settings)) : undefined;
  const pagePolicy = createPagePolicy(settings, pages.folders);
  const secrets = openSecrets(settings);
  const deliveries = openDeliveryLog(stateDir, log, () => secretsOf(settings, secrets));
  onClose(deliveries.close);
  const { findPaths, ...finder } = createArticleSearch(catalog, prefix);
  const kept = { settings, log, catalog, by: builderOf(settings), targets: deploy.targets };
  const plugins = [
    firstParty(pagePolicy.plugin, 'the preview'),
    ...(liveReload === undefined ? [] : [firstParty(liveReload.plugin, 'the preview')]),
    ...own,
    ...firstPartyPlugins({ ...starting, durable, sources: pages.sources }),
    deploy.entry,
    firstParty(recordsPlugin(kept), 'the records'),
    // After the plugins that follow the same events, as its state of an article is the final one.
    firstParty(schedulePlugin({ catalog, prefix, since: opened.savedAt, stateDir }), 'the dates of articles'),
  ];

  const context = handlerContext(settings, log, opened);
  const receiver = createArticleReceiver(context);
  const names = headerNames(settings.service);
  const { facts } = deploy;
  const { articles, gone } = articlesOf(settings, opened, context, receiver, findPaths);
  const host = await startHost(plugins, {
    face: 'receiver',
    ...site,
    articles: { ...articles, ...finder },
    assets: durable.assets,
    records: recordsOf(starting, opened, deliveries, facts, (detail) => dryRun(detail, names, context)),
    services: (host) => ({
      plugins: createPluginsService({ settings, plugins: own, pages: pages.report, jobs, host, log }),
      setup: createSetupService(settings, secrets, facts, log),
    }),
    hooks,
    jobs,
  });
  onClose(noteFigures(stateDir, 'receiver', host, plugins, log));
  onClose(host.close);
  const idle = [
    ...idlePages(plugins, settings, pages.report.hooks, pages.calls),
    ...idleJobs(host.report().jobs, settings),
  ];
  for (const reason of idle) log.warn(reason);
  reservePaths(content, settings, [...pages.urls, ...host.adapters.flatMap(pathsOf)]);
  return {
    host,
    context,
    receiveArticle: receiver.receive,
    secrets,
    deliveries,
    facts,
    pagePolicy,
    liveReload,
    gone,
  };
}

/** The context for handlers of deliveries. */
function handlerContext(
  settings: Settings,
  log: Log,
  { content, prefix, thread, durable, hooks, jobs }: ReceiverStore,
): HandlerContext {
  return {
    store: durable.store,
    hooks,
    readDelivery: thread.codec.readDelivery,
    readIncoming: thread.codec.readIncoming,
    editable: thread.codec.editable,
    codec: content.codec,
    noteJobs: jobs.noteArticle,
    log,
    knownIds: durable.knownIds,
    maxAgeMs: settings.replay.maxAge,
    slug: slugMaker(settings),
    isOwnKey: content.format.isOwnKey,
    changeOf: (stored) => ({ ...stored, path: `${prefix}${stored.path}` }),
  };
}

/** The articles for plugins, and the answers at the URLs of removed ones. */
function articlesOf(
  settings: Settings,
  { content, prefix, thread, durable, hooks }: ReceiverStore,
  context: HandlerContext,
  receiver: ArticleReceiver,
  findPaths: ArticleSearcher['findPaths'],
): {
  readonly articles: Omit<HostArticles, keyof ArticleFinder> & ArticleReader;
  readonly gone: RunningPlugins['gone'];
} {
  const { store, catalog, articles, editors, knownIds, commitTrash: commit } = durable;
  const { stateDir } = foldersOf(settings);
  const { siteUrl } = settings;
  const ofArticles = { store, catalog, content, prefix, context };
  const { setStateAs, ...changes } = createArticleChanges({ ...ofArticles, findPaths });
  const texts = thread.codec;
  const edits = createPersonEdits({ ...ofArticles, settings, editors, setStateAs, texts });
  const places = { store, catalog, stateDir, prefix, siteUrl };
  const trash = createTrash({ ...places, editors, knownIds, hooks, commit });
  return {
    articles: { ...articles, ...receiver, ...changes, ...edits, ...trash.articles },
    gone: trash.answerAt,
  };
}

/** The records of the site and its deliveries. */
function recordsOf(
  { settings, log, onClose }: Starting,
  { content, durable }: ReceiverStore,
  deliveries: DeliveryLog,
  facts: SiteDeploy['facts'],
  answerNow: (detail: DeliveryDetail) => Promise<DryRun | undefined>,
): SiteRecords {
  const doctor = createDoctor(settings, log);
  onClose(doctor.close);
  return {
    deliveries: deliveries.list,
    delivery: deliveries.detail,
    dryRun: async (key) => {
      const detail = await deliveries.detail(key);
      return detail && answerNow(detail);
    },
    refusals: deliveries.refusals,
    lastSeen: async () => ({ ...notedFacts(settings), facts: facts() }),
    doctor: async (again) => doctor.report(again),
    status: async () => ({ ...(await siteStatusOf(settings, content, [...durable.catalog.entries()])) }),
  };
}

function firstParty(plugin: Plugin, origin: string): PluginEntry {
  return { plugin, origin, isFirstParty: true };
}

/**
 * The plugins' part in the builder: their hooks, the URLs of their files, which are reserved, and the files that their pages
 * depend on.
 */
async function pagesOf(plugins: readonly PluginEntry[], around: Omit<HostContext, 'face'>) {
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

/** Makes slugs in ASCII; undefined if the config allows Unicode. */
function slugMaker({ articles, site }: Settings): HandlerContext['slug'] {
  if (articles.slug === 'unicode') return undefined;
  const language = articles.language ?? (site === false ? 'en' : site.language);
  return (suggestion, title, id) => asciiSlugOf(suggestion, title, id, language);
}

/** The secrets of the config that are long enough not to occur by chance. */
function secretsOf({ secrets, deployHook, gitToken, statusToken }: Settings, { now }: LiveSecrets): string[] {
  return [...secrets, ...now(), deployHook.url, deployHook.token, gitToken, statusToken].flatMap(
    (secret = '') => (secret.length < 8 ? [] : [secret]),
  );
}
