import { parentPort, workerData } from 'node:worker_threads';
import { createLog } from '../../log.js';
import { type RenderPlugins, serveRenders } from '../../site/builder/render-worker.js';
import { contentFolder } from '../../store/catalog/entry.js';
import { type LayoutSettings, layoutOf } from '../content/layout.js';

/** The settings that a render thread gets. */
export interface RenderWorkerData extends LayoutSettings {
  readonly dir: string;
  readonly configFile: string | undefined;
  readonly contentDir: string;
  readonly logLevel: Parameters<typeof createLog>[0]['level'];
}

// The entry of the threads that render pages in large builds; `site-builder.ts` starts them.
const { dir, configFile, contentDir, logLevel, ...settings } = workerData as RenderWorkerData;
if (parentPort === null) throw new Error('this file is the entry of a worker thread');
const log = createLog({ level: logLevel, terminal: false, fd: 2, atOnce: true }).child({ plugin: 'site' });
const content = contentFolder(contentDir, layoutOf(settings));
serveRenders(parentPort, content, log, loadHost);

/** The plugins as the builder has them. What makes them is loaded only where there are some. */
async function loadHost(): Promise<RenderPlugins> {
  const [{ configuredPlugins }, { canonicalUrl }, { startHost }, { readerOf }, { createCatalog }, plugins] =
    await Promise.all([
      import('../../config/config-file.js'),
      import('../../contract/canonical-url.js'),
      import('../../host/plugins.js'),
      import('../../site/index/plugin-reader.js'),
      import('../../store/catalog/catalog.js'),
      import('../plugins/load-plugins.js'),
    ]);
  return startHost(await plugins.loadPlugins(dir, await configuredPlugins(configFile)), {
    role: 'builder',
    siteUrl: settings.siteUrl,
    siteDir: dir,
    log,
    articles: readerOf(content, createCatalog(), canonicalUrl),
  });
}
