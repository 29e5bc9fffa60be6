// The thread that long-texts.test.ts starts, whose heap is its own. It reads articles as a receiver does at its start, builds
// the site, and says how much more is kept of long articles than of short ones.
import v8 from 'node:v8';
import vm from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import { createCatalog } from '../../../src/store/catalog/catalog.js';
import { scan } from '../../../src/store/catalog/scan.js';
import { siteIn } from './test-site.js';

v8.setFlagsFromString('--expose-gc');
const collect: () => void = vm.runInNewContext('gc');

const { options, builder, write } = siteIn(String(workerData));
const catalog = createCatalog();
const kinds = ['id', 'title', 'description', 'author', 'image', 'date'];

/** Reads and builds articles in each of which one text has this length. @returns what the heap holds then, in bytes. */
async function heapWith(length: number): Promise<number> {
  for (const [n, kind] of [...kinds, ...kinds].entries())
    write(`a${n}`, { [kind]: `${n} ${'x'.repeat(length)}` });
  await scan(options.content, catalog);
  if ((await builder.build('all')).failed > 0) throw new Error('a page failed');
  collect();
  return v8.getHeapStatistics().used_heap_size;
}

const before = await heapWith(10);
parentPort?.postMessage((await heapWith(900_000)) - before);
await builder.close();
