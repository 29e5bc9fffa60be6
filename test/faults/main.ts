/**
 * `npm run faults`: plants faults in a copy of the compiled program, one at a time, and has the nearest tests find them.
 * `npm run faults -- --help` lists the arguments.
 */
import fs from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeTempDir, removeTempDir } from '../support/temp-dir.js';
import { killProcessesIn } from '../torture/processes.js';
import { chooseFaults, type Fault } from './choice.js';
import { nearest, openGroups } from './near.js';
import { type Group, makeSandbox, type Sandbox } from './sandbox.js';

const HELP = `Usage: npm run faults -- [--seed <n>] [--count <n>] [--quick | --with <test>] [--list] [room or id …]

Changes one place after the other in a copy of the program, such as a condition or a missing sync, and runs the tests that are
nearest and execute that place. A room is a folder of src/, an id that of a fault; without any, all of them.

  --seed   of the choice (default: 1)
  --count  of all rooms together (default: 160); a room has its share by its size
  --quick  only with the unit tests that import the module
  --with   only with this test, such as integration/cli/init; can be repeated
  --list   only print the choice

What was caught is kept in dist/faults/<seed>.jsonl, with the output of the tests in dist/faults/<id>.txt, and not planted
again; what survived is.
Exit code: 0 where nine of ten faults were caught that are none in test/faults/equivalent.json; else 1.`;

/** How long the tests of one fault may take, in seconds; AVA ends those that hang before that. */
const LIMIT_SECONDS = 1800;

/** What became of a fault. */
interface Result extends Pick<Fault, 'id' | 'room' | 'place' | 'operator' | 'before' | 'after'> {
  readonly outcome: 'caught' | 'survived' | 'not executed';
  /** The first test that failed. */
  readonly by: string;
  readonly seconds: number;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '160' },
    quick: { type: 'boolean', default: false },
    with: { type: 'string', multiple: true, default: [] },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) console.log(HELP);
else process.exitCode = await main(positionals);

async function main(wanted: readonly string[]): Promise<number> {
  const chosen = chooseFaults('dist', Number(values.seed), Number(values.count)).filter(
    ({ id, room }) => wanted.length === 0 || wanted.includes(room) || wanted.includes(id),
  );
  if (values.list) {
    for (const { id, place, before, after } of chosen)
      console.log(`${id} ${place}\n  - ${before}\n  + ${after}`);
    console.log(`${chosen.length} faults`);
    return 0;
  }
  const named = values.with.map((name) => `dist/test/${name}.test.js`);
  const missing = named.find((path) => !fs.existsSync(path));
  if (missing !== undefined) {
    console.error(`there is no ${missing}: its failure would pass for one that a fault causes; see --help`);
    return 2;
  }
  const file = join('dist/faults', `${values.seed}.jsonl`);
  fs.mkdirSync('dist/faults', { recursive: true });
  const done = readResults(file);
  const isCaught = ({ id }: Fault) => done.get(id)?.outcome === 'caught';
  const begun = chosen.filter((fault) => !isCaught(fault));
  // The configuration of AVA sets a folder in memory; all is below it, so that what a fault leaves running is found.
  const tests = await openGroups();
  const folder = makeTempDir();
  process.env.TMPDIR = folder;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      killProcessesIn(folder); // or they would go on in the folder that is removed at the exit
      process.exit(130);
    });
  }
  process.on('exit', () => removeTempDir(folder));
  const sandbox = makeSandbox(folder);
  const keep = (fault: Fault, result: Result) => {
    done.set(fault.id, result);
    fs.appendFileSync(file, `${JSON.stringify(result)}\n`);
    console.log(`${result.outcome.padEnd(12)} ${fault.place} ${Math.round(result.seconds)} s: ${result.by}`);
    if (result.outcome !== 'caught') console.log(`  - ${fault.before}\n  + ${fault.after}`);
  };
  for (const fault of begun) {
    const groups = named.length > 0 ? tests.alone(named) : tests.importing(fault.module);
    keep(fault, await examine(sandbox, fault, groups, done.get(fault.id)));
  }
  if (values.quick || named.length > 0) return summarize(chosen.flatMap(({ id }) => done.get(id) ?? []));
  const left = begun.filter((fault) => !isCaught(fault)).map(({ room }) => room);
  const groups = tests.of([...new Set(left)]);
  for (const kind of ['unit', 'integration'] as const) {
    const open = begun.filter((fault) => !isCaught(fault));
    const near = new Map(open.map((fault) => [fault, nearest(fault.room, kind, groups)]));
    const all = [...new Set([...near.values()].flat())];
    if (all.length === 0) continue;
    console.log(
      `${open.length} faults for ${all.length} processes of ${kind} tests, which run without any first`,
    );
    const reach = await sandbox.reach(open, all);
    console.log(`${Math.round(reach.seconds)} s; ${reach.failing.size} of them fail and are left out`);
    for (const fault of open) {
      const executing = (near.get(fault) ?? []).filter(
        ({ name }) => reach.groups.get(fault.id)?.has(name) && !reach.failing.has(name),
      );
      keep(fault, await examine(sandbox, fault, executing, done.get(fault.id)));
    }
  }
  return summarize(chosen.flatMap(({ id }) => done.get(id) ?? []));
}

/** @param earlier what became of it before. */
async function examine(
  sandbox: Sandbox,
  fault: Fault,
  groups: readonly Group[],
  earlier?: Result,
): Promise<Result> {
  const { id, room, place, operator, before, after } = fault;
  const common = { id, room, place, operator, before, after };
  const none = { ...common, by: '', seconds: 0 };
  if (groups.length === 0) return { ...none, outcome: earlier?.outcome ?? 'not executed' };
  const { isPassed, failures, output, seconds } = await sandbox.plant(fault, groups, LIMIT_SECONDS);
  if (isPassed) return { ...none, outcome: 'survived', seconds };
  fs.writeFileSync(join('dist/faults', `${id}.txt`), output);
  return { ...common, outcome: 'caught', by: failures[0] ?? '', seconds };
}

function readResults(file: string): Map<string, Result> {
  if (!fs.existsSync(file)) return new Map();
  const lines = fs.readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return new Map(lines.map((line): [string, Result] => [JSON.parse(line).id, JSON.parse(line)]));
}

/** Prints the figures of each room and what survived. @returns the exit code. */
function summarize(results: readonly Result[]): number {
  const equivalent: Readonly<Record<string, string>> = JSON.parse(
    fs.readFileSync('test/faults/equivalent.json', 'utf8'),
  );
  const isEquivalent = ({ id, outcome }: Result) => outcome !== 'caught' && Object.hasOwn(equivalent, id);
  const isCaught = ({ outcome }: Result) => outcome === 'caught';
  const row = (room: string, of: readonly Result[]) => {
    const [caught, same] = [of.filter(isCaught).length, of.filter(isEquivalent).length];
    const unmet = of.filter((result) => result.outcome === 'not executed' && !isEquivalent(result)).length;
    console.log(
      `| ${room} | ${of.length} | ${caught} | ${same} | ${of.length - caught - same - unmet} | ${unmet} |`,
    );
  };
  console.log(
    '\n| room | planted | caught | equivalent | survived | not executed |\n|---|--:|--:|--:|--:|--:|',
  );
  for (const room of new Set(results.map((result) => result.room)))
    row(
      room,
      results.filter((result) => result.room === room),
    );
  row('all', results);
  for (const result of results.filter((result) => !isCaught(result))) {
    const { id, place, before, after, outcome } = result;
    console.log(`\n${id} ${place}, ${isEquivalent(result) ? `equivalent: ${equivalent[id]}` : outcome}`);
    console.log(`  - ${before}\n  + ${after}`);
  }
  const wrong = results.filter((result) => !isEquivalent(result));
  return wrong.filter(isCaught).length >= 0.9 * wrong.length ? 0 : 1;
}
