// The thread that thread.test.ts starts; in the service the app does the same with config and plugins.
import { parentPort, workerData } from 'node:worker_threads';
import { serveBuilds } from '../../../src/site/builder/thread.js';
import { siteIn } from './test-site.js';

const { root, crash } = workerData as { root: string; crash: boolean };
if (crash) throw new Error('the thread was told to crash');
const port = parentPort;
if (port === null) throw new Error('this file is for a worker thread');
const { builder, options } = siteIn(root);
serveBuilds(port, builder, options.log, () => port.close());
