import { parentPort, workerData } from 'node:worker_threads';
import { configuredPlugins } from '../../config/config-file.js';
import { guardAgainstPlugins } from '../../host/guard.js';
import { createLog } from '../../log.js';
import { followMovedClock } from '../../moved-clock.js';
import { serveBuilds } from '../../site/builder/thread.js';
import { type BuilderSettings, openSiteBuilder } from './site-builder.js';

// The entry of the thread that builds pages; `start-builder.ts` starts it.
const { settings, terminal } = workerData as { settings: BuilderSettings; terminal: boolean };
if (parentPort === null) throw new Error('this file is the entry of a worker thread');
followMovedClock();
const log = createLog({ level: settings.logLevel, terminal, atOnce: true });
const guard = guardAgainstPlugins(log);
const { builder, close } = await openSiteBuilder(settings, await configuredPlugins(settings.configFile), log);
serveBuilds(parentPort, { ...builder, close }, log.child({ plugin: 'site' }), () => {
  guard.reportLeft();
  guard.exit(0); // a plugin may have left more than that behind
});
