import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { basename } from 'node:path';

// What is random in a test is the same in every run, so that only a change can fail it. `npm run torture` makes new choices.
process.env.PRESSMARK_TEST_SEED ??= '20261119';
// Sites are made, synced and removed all the time, and a disk takes longer for it than the tests do. What a full disk, a power
// loss or a missing sync would do is tested by mounts and by the system calls, which are the same here.
const memory = process.env.TMPDIR === undefined ? folderInMemory() : undefined;
if (memory !== undefined) process.env.TMPDIR = memory;
// Nothing here takes long; what does, such as the builds of generators, is in the end-to-end tests.
process.env.PRESSMARK_TEST_PATIENCE ??= 'short';
// The tests start some 20,000 programs, and each start takes less time where PATH has no folders that do not exist, of which npm
// adds many, and where the memory of a process is in one piece.
process.env.PATH = (process.env.PATH ?? '').split(':').filter(existsSync).join(':');
process.env.MALLOC_ARENA_MAX = '1';

/** A new folder in memory, with room for the sites of all tests, in which programs run; undefined where there is none. */
function folderInMemory() {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    if (bavail * bsize < 4e9) return undefined;
    const folder = mkdtempSync('/dev/shm/pressmark-tests-');
    chmodSync(folder, 0o1777); // as /tmp: web servers run as other users
    // A program that a test has left behind may still write.
    process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
    writeFileSync(`${folder}/program`, '#!/bin/sh\n', { mode: 0o755 });
    execFileSync(`${folder}/program`);
    return folder;
  } catch {
    return undefined;
  }
}

/** The files below a folder, but those of packages: test/e2e/tools has a hundred thousand, and to list them takes seconds. */
const filesBelow = (folder) =>
  readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      return entry.isDirectory() ? filesBelow(path) : [path];
    });

/** The compiled tests below a folder of test/; by their sources, so that a removed test is not run from an old build. */
export const compiledTests = (folder, except = []) =>
  filesBelow('test')
    .map((path) => path.replace('test/', ''))
    .filter((name) => name.startsWith(folder) && name.endsWith('.test.ts'))
    .filter((name) => !except.some((start) => name.startsWith(start)))
    .map((name) => `dist/test/${name.replace(/\.ts$/, '.js')}`);

/**
 * What sets a variable for its whole process, records the functions that run in it, or waits before it declares its tests. The
 * time zone may be another one for all tests.
 */
const OF_ITS_PROCESS = /^process\.env\.(?!TZ\b)|support\/way\.js|^(?:const [^=]+ = )?await /m;

/** What measures its process, or replaces a function or a variable for a time: no other test runs then. */
const ALONE =
  /\bprocess\.(?:cpuUsage|kill|seteuid|getActiveResourcesInfo|env\.\w+ = )|\bgetPriority\b|\bglobalThis\.fetch\b|\bObject\.assign\((?:fs|Date)\b|\b(?:Date\.now|performance\.now) = |\bsite\.advance\(|\btimeoutMs: \d_?\d{2,3}\b|= setInterval\(|\.http\.timeout\b|recorded-syncs/;

/**
 * How many tests of a process run at the same time. More would only wait for each other, and for the processor; and while one
 * computes, as those of units do, the time limits of the others run out.
 */
const AT_ONCE = { alone: 1, unit: 2, other: 4 };

/** How many files share a process. */
const FILES = { unit: 24, 'unit-conformance': 6, 'e2e-generators': 3, other: 10 };

/** End-to-end tests that take long, use all of the machine, or have a server in their process that must answer in time. */
const APART = /^dist\/test\/e2e\/(?:check-sender|installation|sender-disk|several-machines)/;

/** The tests with which a file shares processes; undefined where it has one to itself. */
function roomOf(file) {
  const [, kind, folder = ''] = /^dist\/test\/(\w+)\/(?:(\w+)\/)?/.exec(file) ?? [];
  if (kind === 'e2e') return APART.test(file) ? undefined : `e2e-${folder || 'programs'}`;
  const source = readFileSync(file.replace(/^dist\//, '').replace(/\.js$/, '.ts'), 'utf8');
  if (OF_ITS_PROCESS.test(source)) return undefined;
  if (ALONE.test(source)) return `${kind}-alone`;
  return kind === 'integration' || folder === 'conformance' ? `${kind}-${folder}` : kind;
}

/**
 * Has files share processes: to start one, and to load and compile what is tested, takes a second of processor time. AVA begins
 * all tests of a process at once; here a few at a time have their turn. A test that is named on the command line runs from its
 * own file.
 */
export function together(files) {
  const rooms = new Map();
  for (const file of files) {
    const room = roomOf(file) ?? file;
    rooms.set(room, [...(rooms.get(room) ?? []), file]);
  }
  const folder = 'dist/test/together';
  mkdirSync(folder, { recursive: true });
  return [...rooms].flatMap(([room, members]) => {
    if (room === members[0]) return members;
    const most = FILES[room.replace('-alone', '')] ?? FILES.other;
    const size = Math.ceil(members.length / Math.ceil(members.length / most));
    const parts = members.flatMap((_, at) => (at % size === 0 ? [members.slice(at, at + size)] : []));
    const manner = /alone$|^unit$/.exec(room)?.[0] ?? 'other';
    const first = [`../support/turns.js?at-once=${AT_ONCE[manner]}`];
    if (manner === 'alone') first.unshift('../support/recorded-syncs.js');
    return parts.map((part, index) => {
      const path = `${folder}/${room}-${index + 1}.test.js`;
      const modules = [...first, ...part.map((file) => file.replace('dist/test', '..'))];
      writeFileSync(path, modules.map((name) => `import '${name}';\n`).join(''));
      return path;
    });
  });
}

const all = compiledTests('', ['e2e/']);
/** Whether the command line names tests. */
export const isNamed = process.argv.slice(2).some((word) => word.includes('dist/test/'));

/** What takes longest, or mostly waits, first: begun last, it would end alone. */
const ORDER = [
  /dist\/test\/(?!together\/)|-alone-/,
  /\/(?:integration-(?:git|host|cli|admin|deploy)|docs)-/,
  /\/(?:integration|unit-conformance)-/,
];
const rank = (file) =>
  `${[...ORDER, /./].findIndex((part) => part.test(file))}${createHash('sha256').update(basename(file)).digest('hex')}`;

export default {
  files: isNamed ? all : together(all),
  // More than there are processors: many tests wait, for the disk or for time to pass.
  concurrency: 4,
  sortTestFiles: (one, other) => (rank(one) < rank(other) ? -1 : 1),
  // Without any progress; then AVA names what has not ended. Longer than a wait of test/support/until.ts, which says what for,
  // and as there, in proportion on a machine that is busy with other work.
  timeout: `${60 * Math.min(3, Math.max(1, loadavg()[0] / (2 * availableParallelism())))}s`,
  workerThreads: false,
  require: ['./dist/test/support/leftovers.js'],
  nodeArguments: [
    '--import=./dist/test/support/thread-priority.js',
    // AVA has them read for each module of each process and thread; a failed test that is run again by its name has them.
    ...(isNamed ? [] : ['--import=data:text/javascript,process.setSourceMapsEnabled(false)']),
  ],
};
