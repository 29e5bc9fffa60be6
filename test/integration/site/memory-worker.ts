// The thread that long-texts.test.ts starts, whose heap is its own. It reads the articles as a receiver does at its start,
// builds the site, and says how much is kept.
import v8 from 'node:v8';
import vm from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import { createCatalog } from '../../../src/store/catalog/catalog.js';
import { scan } from '../../../src/store/catalog/scan.js';
import { siteIn } from './test-site.js';

v8.setFlagsFromString('--expose-gc');
const collect: () => void = vm.runInNewContext('gc');

const { options, builder } = siteIn(String(workerData));
const catalog = createCatalog();
await scan(options.content, catalog);
const { failed } = await builder.build('all');
collect();
const { used_heap_size: keptBytes } = v8.getHeapStatistics();
parentPort?.postMessage({ articles: catalog.size, failed, keptBytes });
await builder.close();
