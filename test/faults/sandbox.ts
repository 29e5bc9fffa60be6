import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { basename, join } from 'node:path';
import { killProcessesIn } from '../torture/processes.js';
import type { Fault } from './choice.js';

/** Tests that share a process, as in `npm test`. */
export interface Group {
  readonly name: string;
  readonly members: readonly string[];
}

/** How a run of tests ended. */
export interface Outcome {
  readonly isPassed: boolean;
  /** AVA's lines about what failed. */
  readonly failures: readonly string[];
  readonly output: string;
  readonly seconds: number;
}

/** A copy of the compiled program, in which one module at a time is wrong. */
export interface Sandbox {
  readonly dist: string;
  /** Which groups execute the places of the faults, by the faults' ids, and the groups that fail without any fault. */
  reach(faults: readonly Fault[], groups: readonly Group[]): Promise<Reach>;
  /** Runs tests with a fault. */
  plant(fault: Fault, groups: readonly Group[], limitSeconds: number): Promise<Outcome>;
}

export interface Reach {
  readonly groups: ReadonlyMap<string, ReadonlySet<string>>;
  readonly failing: ReadonlySet<string>;
  readonly seconds: number;
}

/**
 * Makes the copy. The program is not bundled in it, so that commands, threads and tests load the same modules, each from its
 * own file.
 *
 * @param folder an empty folder, also for the temporary files of the tests.
 */
export function makeSandbox(folder: string): Sandbox {
  const root = join(folder, 'copy');
  const dist = join(root, 'dist');
  fs.mkdirSync(root);
  for (const name of fs.readdirSync('.'))
    if (!/^(?:dist|\.git|package\.json|ava\..*)$/.test(name))
      fs.symlinkSync(fs.realpathSync(name), join(root, name));
  // Not a link: a module belongs to the package whose folder it really lies in.
  fs.copyFileSync('package.json', join(root, 'package.json'));
  for (const part of ['src', 'test']) fs.cpSync(`dist/${part}`, join(dist, part), { recursive: true });
  execFileSync(process.execPath, ['bundle.js', '--unbundled'], { cwd: root });
  const groupFolder = join(dist, 'test/groups');
  fs.mkdirSync(groupFolder);
  const config = {
    files: ['dist/test/groups/*.test.js'],
    concurrency: 6,
    timeout: '3m',
    workerThreads: false,
    require: ['./dist/test/support/leftovers.js'],
    nodeArguments: ['--enable-source-maps', '--import=./dist/test/support/thread-priority.js'],
  };
  fs.writeFileSync(join(root, 'ava.config.js'), `export default ${JSON.stringify(config)};\n`);
  const ava = fs.realpathSync('node_modules/ava/entrypoints/cli.mjs');

  async function run(
    groups: readonly Group[],
    flags: readonly string[],
    limitSeconds: number,
  ): Promise<Outcome> {
    const paths = groups.map((group) => writeGroup(groupFolder, folder, group));
    const began = performance.now();
    const child = spawn(process.execPath, [ava, ...flags, ...paths], {
      cwd: root,
      env: { ...process.env, PRESSMARK_TEST_PATIENCE: 'shorter', FORCE_COLOR: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    let isLate = false;
    const limit = setTimeout(() => {
      isLate = true;
      killProcessesIn(folder);
    }, limitSeconds * 1000);
    await once(child, 'close');
    clearTimeout(limit);
    killProcessesIn(folder);
    const failures = [
      ...output.matchAll(/^.*(?:✘|Uncaught exception|Unhandled rejection|Timed out).*$/gm),
    ].map(([line]) => line.trim());
    if (isLate) failures.push(`stopped after ${limitSeconds} s`);
    const isPassed = child.exitCode === 0;
    if (!isPassed && failures.length === 0) failures.push(output.trim().slice(-2000));
    return { isPassed, failures, output, seconds: (performance.now() - began) / 1000 };
  }

  const write = (module: string, change: (source: string) => string) => {
    const path = join(dist, 'src', `${module}.js`);
    const source = fs.readFileSync(path, 'utf8');
    fs.writeFileSync(path, change(source));
    return () => fs.writeFileSync(path, source);
  };

  return {
    dist,
    reach: async (faults, groups) => {
      const file = join(folder, 'reached');
      fs.writeFileSync(file, '');
      const modules = new Set(faults.map(({ module }) => module));
      const restore = [...modules].map((module) =>
        write(module, (source) =>
          marked(
            source,
            faults.filter((fault) => fault.module === module),
            file,
          ),
        ),
      );
      const { failures, seconds } = await run(groups, [], 3600);
      for (const back of restore) back();
      const all = new Set(groups.map(({ name }) => name));
      const reached = new Map<string, Set<string>>();
      for (const line of fs.readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
        const [id = '', folderOfGroup = ''] = line.split('\t');
        const name = basename(folderOfGroup);
        // A process that was started with another folder for temporary files belongs to any of them.
        reached.set(id, new Set([...(reached.get(id) ?? []), ...(all.has(name) ? [name] : all)]));
      }
      const failing = [...all].filter((name) =>
        failures.some((line) => new RegExp(`\\b${name}\\b`).test(line)),
      );
      for (const line of failures) console.log(`without a fault: ${line}`);
      return { groups: reached, failing: new Set(failing), seconds };
    },
    plant: async (fault, groups, limitSeconds) => {
      const restore = write(
        fault.module,
        (source) => source.slice(0, fault.start) + fault.to + source.slice(fault.end),
      );
      try {
        return await run(groups, ['--fail-fast'], limitSeconds);
      } finally {
        restore();
      }
    },
  };
}

/** Writes the file that runs a group, with a folder for its temporary files that says which group a process belongs to. */
function writeGroup(groupFolder: string, folder: string, { name, members }: Group): string {
  const own = join(folder, name);
  fs.mkdirSync(own, { recursive: true });
  const first = `data:text/javascript,process.env.TMPDIR=${encodeURIComponent(JSON.stringify(own))}`;
  const lines = [first, ...members].map((path) => `import '${path}';\n`);
  fs.writeFileSync(join(groupFolder, `${name}.test.js`), lines.join(''));
  return `dist/test/groups/${name}.test.js`;
}

/** A module that notes, once in a process, which of the faults' places are executed. */
function marked(source: string, faults: readonly Fault[], file: string): string {
  const marks = faults.flatMap(({ id, start, end, isStatement }) => {
    const call = `__reach('${id}')`;
    return [
      { at: start, length: end - start, text: isStatement ? `{ ${call}; ` : `(${call}, ` },
      { at: end, length: start - end, text: isStatement ? ' }' : ')' },
    ];
  });
  // From the end; where two meet, what closes stands before what opens, and the inner one closes first.
  marks.sort(
    (one, other) =>
      other.at - one.at || Math.sign(other.length) - Math.sign(one.length) || one.length - other.length,
  );
  const text = marks.reduce((done, mark) => done.slice(0, mark.at) + mark.text + done.slice(mark.at), source);
  return `import { appendFileSync as __append } from 'node:fs';
var __seen;
function __reach(id) {
  __seen ??= new Set();
  if (__seen.has(id)) return;
  __seen.add(id);
  __append(${JSON.stringify(file)}, id + '\\t' + process.env.TMPDIR + '\\n');
}
${text}`;
}
