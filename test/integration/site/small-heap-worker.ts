// The thread that long-texts.test.ts starts with a small heap. It reads the articles as a receiver does at its start,
// and builds the site.
import { parentPort, workerData } from 'node:worker_threads';
import { createCatalog } from '../../../src/store/catalog/catalog.js';
import { scan } from '../../../src/store/catalog/scan.js';
import { siteIn } from './test-site.js';

const { content, builder } = (({ options, builder }) => ({ ...options, builder }))(
  siteIn(String(workerData)),
);
const catalog = createCatalog();
await scan(content, catalog);
const { failed } = await builder.build('all');
await builder.close();
parentPort?.postMessage({ articles: catalog.size, failed });
