// The process that test/support/site-kills.ts starts. It builds the site in a folder, and then whatever it is told to,
// until it is killed or, before a certain change of the disk, kills itself.
import { createBuilder } from '../../../src/site/builder/builder.js';
import { beforeDiskChanges } from '../../support/site-kills.js';
import { siteIn } from './test-site.js';

const [dir = '', dieBefore = ''] = process.argv.slice(2);
const builder = createBuilder(siteIn(dir, { pageSize: 2 }).options);
await builder.build('all');
let left = Number(dieBefore);
beforeDiskChanges(() => {
  left--;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
});
process.on('message', (paths: string[]) => {
  void builder.build(paths).then(() => process.send?.('built'));
});
process.send?.('built');
