import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';

// What is random in a test is the same in every run, so that only a change can fail it. `npm run torture` makes new choices.
process.env.PRESSMARK_TEST_SEED ??= '20261119';
// Nothing here takes long; what does, such as the builds of generators, is in the end-to-end tests.
process.env.PRESSMARK_TEST_PATIENCE ??= 'short';

/** The compiled tests below a folder of test/; by their sources, so that a removed test is not run from an old build. */
export const compiledTests = (folder, except = []) =>
  readdirSync(`test/${folder}`, { recursive: true })
    .map((name) => `${folder}${name}`.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.test.ts') && !except.some((start) => name.startsWith(start)))
    .map((name) => `dist/test/${name.replace(/\.ts$/, '.js')}`);

/** What changes or measures its process; such a test has one to itself. */
const OF_ITS_PROCESS =
  /\btest\.(?:serial|before|after)\b|\bprocess\.|\bglobalThis\b|\bObject\.assign\((?:fs|Date)\b|\bperformance\.|\btimeoutMs\b|recorded-syncs/;

/**
 * Has the other unit tests of a room share a process: to start one and to load what is tested takes longer than most of
 * them. A test that is named on the command line runs from its own file.
 */
function together(files) {
  const rooms = new Map();
  const alone = files.filter((file) => {
    const room = /^dist\/test\/unit\/(\w+)\//.exec(file)?.[1];
    const source = file.replace(/^dist\//, '').replace(/\.js$/, '.ts');
    if (room === undefined || OF_ITS_PROCESS.test(readFileSync(source, 'utf8'))) return true;
    rooms.set(room, [...(rooms.get(room) ?? []), file]);
    return false;
  });
  mkdirSync('dist/test/together', { recursive: true });
  const shared = [...rooms].map(([room, members]) => {
    const path = `dist/test/together/${room}.test.js`;
    writeFileSync(path, members.map((file) => `import '${file.replace('dist/test', '..')}';\n`).join(''));
    return path;
  });
  return [...alone, ...shared];
}

const all = compiledTests('', ['e2e/']);
const isNamed = process.argv.slice(2).some((word) => word.includes('dist/test/'));

/**
 * Unit tests last, which are short: begun last, a long test would end alone. The folders are mixed, as the tests of one
 * folder need the same at the same time: those of the site the processor, those of git the disk.
 */
const rank = (file) =>
  `${/\/(?:unit|together)\//.test(file) ? 1 : 0}${createHash('sha256').update(basename(file)).digest('hex')}`;

export default {
  files: isNamed ? all : together(all),
  // More than there are processors: many tests wait, for the disk or for time to pass.
  concurrency: 4,
  sortTestFiles: (one, other) => (rank(one) < rank(other) ? -1 : 1),
  // Without any progress. Longer than a wait of test/support/until.ts, which fails with a sentence of its own.
  timeout: '6m',
  workerThreads: false,
  nodeArguments: ['--enable-source-maps'],
};
