// The thread that thread.test.ts starts; in the service the app does the same with config and plugins.
import { parentPort, workerData } from 'node:worker_threads';
import { patternLayout } from '../../../src/generators/layout.js';
import { createHooks } from '../../../src/host/hooks/hooks.js';
import { createLog } from '../../../src/log.js';
import { createBuilder } from '../../../src/site/builder/builder.js';
import { serveBuilds } from '../../../src/site/builder/thread.js';
import { contentFolder } from '../../../src/store/catalog/content-folder.js';
import { siteInfo } from '../../support/site-info.js';

const { root, url, crash } = workerData as { root: string; url: string; crash: boolean };
if (crash) throw new Error('the thread was told to crash');
const port = parentPort;
if (port === null) throw new Error('this file is for a worker thread');

const log = createLog({ level: 'silent', terminal: false });
const builder = createBuilder({
  content: contentFolder(`${root}/content`, patternLayout(url, 'articles/:slug.md', '/articles/:slug/')),
  outputDir: `${root}/public`,
  stateDir: `${root}/.pressmark`,
  staticDir: `${root}/static`,
  themeDirs: [{ kind: 'theme', dir: `${root}/templates` }],
  site: siteInfo(url),
  log,
  hooks: createHooks(log, { face: 'pages' }),
});
serveBuilds(port, builder, log, () => port.close());
