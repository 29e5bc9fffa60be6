import { parentPort, workerData } from 'node:worker_threads';
import { configuredPlugins } from '../config/load.js';
import { createLog } from '../log.js';
import { serveBuilds } from '../site/thread.js';
import { type BuilderSettings, openSiteBuilder } from './site-builder.js';

// The entry of the thread that builds pages; `first-party.ts` starts it.
const { settings, terminal } = workerData as { settings: BuilderSettings; terminal: boolean };
if (parentPort === null) throw new Error('this file is the entry of a worker thread');
const log = createLog({ level: settings.logLevel, terminal, atOnce: true }).child({ plugin: 'site' });
const { builder } = await openSiteBuilder(settings, await configuredPlugins(settings.configFile), log);
// At once, as this thread is started before the receiver has read its articles. What fails here fails again in the build.
builder.prepare().catch((error) => log.debug({ err: error }, 'what was built last could not be read'));
serveBuilds(parentPort, builder, log);
