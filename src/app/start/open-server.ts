import type { Settings } from '../../config/load.js';
import { headerNames } from '../../contract/service.js';
import { readDeployState } from '../../deploy/deploy-queue.js';
import { messageOf } from '../../errors.js';
import type { Log } from '../../log.js';
import { adapterEndpoint } from '../../webhook/http/adapter.js';
import { createBodyReader } from '../../webhook/http/body-reader.js';
import { webhook } from '../../webhook/http/middleware.js';
import { createReceive } from '../../webhook/receive.js';
import { adminOrigin } from '../admin-users.js';
import { basePathOf, foldersOf } from '../content/folders.js';
import type { DurableStore } from '../durable-store.js';
import { announceReceiver, type RunningReceiver } from '../running-receivers.js';
import { createHealth, type Health } from '../server/health.js';
import { createServer } from '../server/server.js';
import type { RunningPlugins } from './open-plugins.js';
import type { ReceiverStore, Starting } from './open-store.js';

/**
 * Starts to listen: for the webhook, adapters, plugins' routes and the built site.
 *
 * @returns the port.
 * @throws PressmarkError PORT_UNAVAILABLE
 */
export async function openServer(
  { settings, log, adapterLimits, preview, onClose }: Starting,
  { content, durable, hooks, thread }: ReceiverStore,
  plugins: RunningPlugins,
): Promise<number> {
  const { host, context, receiveArticle, deliveries, pagePolicy, liveReload } = plugins;
  const { outputDir, stateDir } = foldersOf(settings);
  const { endpoint, statusToken, siteUrl } = settings;
  warnOfHidden(content, durable, log);
  const names = headerNames(settings.service);
  const receive = createReceive(plugins.secrets, names, context);
  const health = createHealth(content, stateDir);
  const common = { hooks, log, notes: deliveries.notes };
  // Separate from the webhook's, so that requests to an adapter cannot delay a delivery.
  const readBody = createBodyReader();
  const ofAdapters = {
    ...common,
    receive: receiveArticle,
    noteAnswer: health.noteAnswer,
    readBody,
    readJson: thread.codec.readJson,
    ...(adapterLimits && { limitsMs: adapterLimits }),
  };
  const server = createServer({
    webhook: webhook({
      ...common,
      endpoint,
      names,
      receive: async (delivery) => health.noteAnswer(await receive(delivery)),
    }),
    adapters: host.adapters.map((adapter) => adapterEndpoint(adapter, ofAdapters)),
    routers: host.routers,
    served: host.served,
    adminOrigin: adminOrigin(settings),
    runsScripts: runsScripts(settings),
    health: troubleOf(durable, health),
    details: async () => ({
      durability: settings.durability,
      push: durable.pushes?.now ?? null,
      facts: plugins.facts(),
      targets: readDeployState(stateDir),
      plugins: await host.findings(),
    }),
    statusToken,
    outputDir,
    basePath: basePathOf(settings),
    gone: plugins.gone,
    policy: pagePolicy.now,
    liveReload,
    endpoint,
    log,
  });
  onClose(() => server.close());
  const port = await server.listen(settings.port, settings.host);
  thread.start(); // after `listen`, so that the receiver listens sooner
  const endAnnouncement = await announce(stateDir, log, {
    pid: process.pid,
    port,
    host: settings.host,
    since: new Date().toISOString(),
    commits: durable.commits,
    siteUrl,
    preview,
  });
  onClose(endAnnouncement);
  return port;
}

/**
 * Whether scripts in articles may run in the pages: with another generator, or with the owner's own policy. If the receiver
 * does not listen at 127.0.0.1, pages cannot have a separate host.
 */
function runsScripts({ site, host }: Settings): boolean {
  const isListening = host === undefined || ['0.0.0.0', '::', '127.0.0.1'].includes(host);
  return isListening && (site === false || site.contentSecurityPolicy !== undefined);
}

/** Warns of articles that are hidden, as something else is served at their addresses. */
function warnOfHidden({ reservedUrls }: ReceiverStore['content'], { catalog }: DurableStore, log: Log): void {
  for (const reserved of reservedUrls) {
    const below = reserved.endsWith('/*') ? reserved.slice(0, -1) : undefined;
    const hidden =
      below === undefined
        ? catalog.byUrl(reserved)
        : [...catalog.entries()].filter(({ url }) => url.startsWith(below));
    for (const { path, url } of hidden)
      log.warn(
        { path, url },
        'an article has an address that the receiver answers itself; see pressmark doctor',
      );
  }
}

/** Announces the receiver. If that fails, as on a full disk, only other commands do not see it. */
async function announce(stateDir: string, log: Log, receiver: RunningReceiver): Promise<() => void> {
  try {
    return await announceReceiver(stateDir, receiver);
  } catch (error) {
    log.warn({ reason: messageOf(error) }, 'pressmark status, send and doctor will not see this receiver');
    return () => undefined;
  }
}

/** Whether articles can be stored, as far as the disk and, at level push, the remote are concerned. */
function troubleOf(durable: DurableStore, health: Health): () => string | undefined {
  return () => {
    const trouble = durable.trouble?.();
    return health.trouble() ?? (trouble && `articles cannot be stored: ${trouble}`);
  };
}
