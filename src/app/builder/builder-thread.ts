import { parentPort, workerData } from 'node:worker_threads';
import { configuredPlugins } from '../../config/config-file.js';
import { createLog } from '../../log.js';
import type { Answer } from '../../site/builder/thread-client.js';
import { serveBuilds } from '../../site/builder/thread-worker.js';
import { type BuilderSettings, openSiteBuilder } from './site-builder.js';

// The entry of the thread that builds pages; `first-party.ts` starts it.
const { settings, terminal } = workerData as { settings: BuilderSettings; terminal: boolean };
if (parentPort === null) throw new Error('this file is the entry of a worker thread');
const port = parentPort;
const log = createLog({ level: settings.logLevel, terminal, atOnce: true }).child({ plugin: 'site' });
const { builder } = await openSiteBuilder(settings, await configuredPlugins(settings.configFile), log);
// At once, as this thread is started before the receiver has read its articles. What fails here fails again in the build.
const failed = (error: unknown) => {
  log.debug({ err: error }, 'what was built last could not be read');
  return false;
};
const answer = (isWhole: boolean) => {
  const isUndamaged = builder.isUndamaged();
  port.postMessage({ id: 0, kind: 'loaded', isWhole, isUndamaged } satisfies Answer);
};
void builder.load().catch(failed).then(answer);
serveBuilds(port, builder, log);
