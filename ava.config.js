import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
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

/** A new folder in memory, with room for the sites of all tests, in which programs run; undefined where there is none. */
function folderInMemory() {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    if (bavail * bsize < 4e9) return undefined;
    const folder = mkdtempSync('/dev/shm/pressmark-tests-');
    chmodSync(folder, 0o1777); // as /tmp: web servers run as other users
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(`${folder}/program`, '#!/bin/sh\n', { mode: 0o755 });
    execFileSync(`${folder}/program`);
    return folder;
  } catch {
    return undefined;
  }
}

/** The compiled tests below a folder of test/; by their sources, so that a removed test is not run from an old build. */
export const compiledTests = (folder, except = []) =>
  readdirSync(`test/${folder}`, { recursive: true })
    .map((name) => `${folder}${name}`.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.test.ts') && !except.some((start) => name.startsWith(start)))
    .map((name) => `dist/test/${name.replace(/\.ts$/, '.js')}`);

/** What changes its process while other tests run, or measures it; such a test has one to itself. */
const OF_ITS_PROCESS =
  /\bprocess\.cpuUsage\b|\bgetPriority\b|\bglobalThis\b|\bObject\.assign\((?:fs|Date)\b|\b(?:process\.env\.\w+|Date\.now|performance\.now) = |recorded-syncs|support\/way\.js/;

/** The same for integration tests: what replaces a function or a variable, or depends on how soon something happens. */
const OF_ITS_PROCESS_TOO =
  /\bglobalThis\.fetch\b|\bsite\.advance\(|recorded-syncs|support\/way\.js|\bObject\.assign\(fs\b|\bprocess\.(?:kill|getActiveResourcesInfo|env\.(?!TZ)\w+ = )|\btimeoutMs: \d_?\d{2,3}\b|= setInterval\(|\.http\.timeout\b/;

/** Tests that run one after the other, and put back what they have replaced: they may share a process with others of their kind. */
const IN_TURN = 'unit-in-turn';
const isInTurn = (source) => !/^ *test\(/m.test(source) && !source.includes('process.env');

/** Commands that run in the process of the tests run one after the other: a test that waits in between would wait for all. */
const waitsForCommands = (source) => source.includes('runHere(') && source.includes('until(');

/**
 * Whose tests share processes. To start one, and to load and compile what is tested, takes a second of processor time; but
 * all tests of a process begin at once. Those of remotes and of deploys start so many programs that some would then take
 * longer than the product waits for git.
 */
const ROOM =
  /^dist\/test\/(unit\/(?:conformance|deploy|generators|host|site)(?=\/)|unit|integration\/(?!deploy\/|git\/push\/)\w+|docs|architecture|e2e\/(?:admin|site))\//;

/** How many files of a room share a process. */
function mostFiles(room) {
  if (/^(?:unit-conformance|integration-(?:store|git))$/.test(room)) return 5;
  return room.startsWith('unit') ? 16 : 6;
}

/** The room with whose other files a file shares processes; undefined where it has one to itself. */
function roomOf(file) {
  const room = ROOM.exec(file)?.[1];
  if (room === undefined) return undefined;
  const source = readFileSync(file.replace(/^dist\//, '').replace(/\.js$/, '.ts'), 'utf8');
  if (room.startsWith('unit') && OF_ITS_PROCESS.test(source) && isInTurn(source)) return IN_TURN;
  const ofItsProcess = room.startsWith('integration') ? OF_ITS_PROCESS_TOO : OF_ITS_PROCESS;
  return ofItsProcess.test(source) || waitsForCommands(source) ? undefined : room.replace('/', '-');
}

/**
 * Has the other tests of a room share processes: to start one and to load what is tested takes longer than most of them.
 * A test that is named on the command line runs from its own file.
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
    if (members.length === 1) return members;
    const size = Math.ceil(members.length / Math.ceil(members.length / mostFiles(room)));
    const parts = members.flatMap((_, at) => (at % size === 0 ? [members.slice(at, at + size)] : []));
    return parts.map((part, index) => {
      const path = `${folder}/${room}-${index + 1}.test.js`;
      // What records syncs comes before all that syncs.
      const first = room === IN_TURN ? ['dist/test/support/recorded-syncs.js'] : [];
      const imports = [...first, ...part].map((file) => `import '${file.replace('dist/test', '..')}';\n`);
      writeFileSync(path, imports.join(''));
      return path;
    });
  });
}

const all = compiledTests('', ['e2e/']);
/** Whether the command line names tests. */
export const isNamed = process.argv.slice(2).some((word) => word.includes('dist/test/'));

/**
 * What takes longest first: begun last, it would end alone; and before that what mostly waits, while the others compute. The
 * folders are mixed, as the tests of one folder need the same at the same time: those of the site the processor, those of git
 * the disk.
 */
const ORDER = [
  /\/(?:background-build|set-state-killed)\./,
  /\/together\/(?:integration|docs|unit-(?:conformance|host))-/,
  /\/(?:integration|docs)\//,
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
  nodeArguments: ['--import=./dist/test/support/thread-priority.js'],
};
