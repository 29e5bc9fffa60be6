// The thread that thread.test.ts starts; in the service the app does the same with config and plugins.
import { parentPort, workerData } from 'node:worker_threads';
import { serveBuilds } from '../../../src/site/builder/thread.js';
import { siteIn } from './test-site.js';

const port = parentPort;
if (port === null) throw new Error('this file is for a worker thread');
const { builder, options } = siteIn(String(workerData));
serveBuilds(port, builder, options.log, () => port.close());
