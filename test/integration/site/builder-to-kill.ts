// The process that killed.test.ts kills: it builds the site in a folder again and again until it is gone.
import { createHooks } from '../../../src/host/hooks.js';
import { createLog } from '../../../src/log.js';
import { patternLayout } from '../../../src/presets/layout.js';
import { createBuilder } from '../../../src/site/build.js';
import { siteInfo } from '../../support/site-info.js';

const [root = '', url = ''] = process.argv.slice(2);
const log = createLog({ level: 'silent', terminal: false });
const builder = createBuilder({
  content: { root: `${root}/content`, layout: patternLayout(url, 'articles/:slug.md', '/articles/:slug/') },
  outputDir: `${root}/public`,
  stateDir: `${root}/.pressmark`,
  templatesDir: `${root}/templates`,
  site: siteInfo(url),
  pageSize: 2,
  log,
  hooks: createHooks(log),
});
await builder.buildAll();
process.send?.('built');
process.on('message', (paths: string[]) => {
  void builder.buildChanged(paths).then(() => process.send?.('built'));
});
