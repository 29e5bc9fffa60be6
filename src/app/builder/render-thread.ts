import { parentPort, workerData } from 'node:worker_threads';
import { createLog } from '../../log.js';
import { serveRenders } from '../../site/builder/render-worker.js';
import { contentFolder } from '../../store/catalog/entry.js';
import { type LayoutSettings, layoutOf } from '../content/layout.js';

/** The settings that a render thread gets. */
export interface RenderWorkerData extends LayoutSettings {
  readonly contentDir: string;
  readonly logLevel: Parameters<typeof createLog>[0]['level'];
}

// The entry of the threads that render pages in large builds; `site-builder.ts` starts them.
const { contentDir, logLevel, ...settings } = workerData as RenderWorkerData;
if (parentPort === null) throw new Error('this file is the entry of a worker thread');
const log = createLog({ level: logLevel, terminal: false, fd: 2, atOnce: true }).child({ plugin: 'site' });
serveRenders(parentPort, contentFolder(contentDir, layoutOf(settings)), log);
