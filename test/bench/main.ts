/**
 * `npm run bench`: the speed goals, as ratios of figures taken in turn in one run. `npm run bench -- publish`
 * runs one of them. Prints Markdown for docs/benchmarks.md; a missed goal is reported and is not a failure.
 */
import os from 'node:os';
import { admin } from './admin.js';
import { durability } from './durability.js';
import { meetsGoal, type Row } from './figures.js';
import { git } from './git.js';
import { hostile } from './hostile.js';
import { listen } from './listen.js';
import { live } from './live.js';
import { plugins } from './plugins.js';
import { publish } from './publish.js';
import { scale } from './scale.js';
import { site } from './site.js';
import { siteScale } from './site-scale.js';
import { openWorkspace } from './workspace.js';

const BENCHES = {
  publish,
  plugins,
  scale,
  git,
  durability,
  listen,
  site,
  'site-scale': siteScale,
  hostile,
  live,
  admin,
};

const wanted = process.argv.slice(2);
const names = Object.keys(BENCHES) as (keyof typeof BENCHES)[];
const unknown = wanted.find((name) => !Object.hasOwn(BENCHES, name));
if (unknown !== undefined) {
  console.error(`there is no benchmark ${unknown}; there are ${names.join(', ')}`);
  process.exit(2);
}

process.setMaxListeners(0); // one a receiver
const workspace = openWorkspace();
try {
  const missed: Row[] = [];
  const { node } = process.versions;
  const [cpu] = os.cpus();
  console.log(
    `Node ${node}, ${os.cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), ${workspace.fileSystem}; medians.\n`,
  );
  for (const name of names.filter((name) => wanted.length === 0 || wanted.includes(name))) {
    const { text, rows } = await BENCHES[name](workspace);
    missed.push(...rows.filter((row) => !meetsGoal(row)));
    console.log(`${text}\n`);
  }
  console.log(
    missed.length === 0 ? 'All goals met.' : `Goals missed: ${missed.map(({ what }) => what).join('; ')}.`,
  );
} finally {
  workspace.remove();
}
