import fs from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createRandom, type Random } from '../../support/random.js';
import { type Attack, BrokenPromise, type Counts, type Scenario } from '../scenario.js';
import {
  CRASH_KINDS,
  type CrashKind,
  type CrashState,
  crashState,
  createDisk,
  type Disk,
  filesIn,
  type Tree,
} from './crash-model.js';
import type { Sent } from './deliveries.js';
import { type Acknowledged, faultAfterRestart, faultInFiles, faultInGit } from './promises.js';
import { type Left, layOut } from './rebuilt-state.js';
import { replay, type Step } from './recorded-disk.js';
import { MODES, type Recording, readTree, record } from './recording.js';
import { missingStrace } from './strace-log.js';

/** Simulates a power loss after every step of a recorded receiver. */
export const powerLoss: Scenario = {
  name: 'power-loss',
  promise:
    'Whenever the power fails, every acknowledged article is complete on the disk, the git repository stays intact, and the next start finishes what was interrupted.',
  weight: 3,
  missing: missingStrace,
  run,
};

type Check = 'files' | 'git' | 'restart';

/** A state of the disk after a power loss, and the check that it gets. */
interface Job {
  /** The index of the recording's last step before the power loss. */
  readonly point: number;
  readonly kind: CrashKind;
  readonly check: Check;
}

/** A recording under examination. */
interface Examined {
  readonly recording: Recording;
  readonly seed: number;
  readonly steps: readonly Step[];
  readonly left: Left;
}

async function run(attack: Attack): Promise<Counts> {
  const { deadline, dir, random, seed, note } = attack;
  const counts: Record<string, number> = {
    recordings: 0,
    acknowledged: 0,
    points: 0,
    states: 0,
    git: 0,
    restart: 0,
  };
  for (let round = 0; round === 0 || performance.now() < deadline; round++) {
    const mode = MODES[round % MODES.length] ?? 'disk';
    const left = deadline - performance.now();
    const folder = join(dir, `recording-${round}`);
    note(`recording ${round}: ${mode}`);
    const recording = await record(folder, mode, random, seed);
    // the first recordings share half of the time, so that a short run checks each mode
    const end =
      round < MODES.length
        ? performance.now() + left / (2 * (MODES.length - round))
        : performance.now() + 20_000;
    await examine(recording, attack, counts, Math.min(deadline, end));
    fs.rmSync(folder, { recursive: true });
  }
  if (counts.acknowledged === 0)
    throw new BrokenPromise('a receiver whose system calls are only recorded should acknowledge articles');
  return counts;
}

/**
 * Checks the article files at every point, then lays out random states and checks these with git and a receiver.
 */
async function examine(
  recording: Recording,
  { seed, dir: workshop, note }: Attack,
  counts: Record<string, number>,
  end: number,
): Promise<void> {
  const count = (what: string, by = 1) => {
    counts[what] = (counts[what] ?? 0) + by;
  };
  count('recordings');
  const examined = look(recording, seed, count);
  const random = createRandom(`power-loss jobs ${recording.mode}`, seed);
  let batch = 0;
  let removed: Promise<void> = Promise.resolve();
  do {
    const folder = join(workshop, `states-${batch++}`);
    const laidOut = layOutAll(examined, chooseJobs(examined.steps, random), folder);
    const check = async (one: LaidOut) => {
      const { job } = one;
      note(`${recording.mode}: ${job.check} after step ${job.point}, ${job.kind}`);
      const wrong = await faultIn(examined, one);
      count(job.check);
      return wrong === undefined ? undefined : broken(examined, job, wrong);
    };
    // A restarted receiver mostly waits; git checks the other states at the same time.
    const restarts = laidOut.filter(({ job }) => job.check === 'restart').map(check);
    const looks = (async () => {
      for (const one of laidOut.filter(({ job }) => job.check !== 'restart')) {
        const wrong = await check(one);
        if (wrong !== undefined) return wrong;
      }
      return undefined;
    })();
    const [first] = (await Promise.all([looks, ...restarts])).filter((one) => one !== undefined);
    if (first !== undefined) throw first;
    await removed;
    removed = rm(folder, { recursive: true });
  } while (performance.now() < end);
  await removed;
}

/** Replays the recording once, and checks the article files in a state of each kind at every point. */
function look(recording: Recording, seed: number, count: (what: string, by?: number) => void): Examined {
  const { base, calls, root, sent } = recording;
  const disk = createDisk(base);
  const steps: Step[] = [];
  const acknowledged = new Map<string, number>();
  for (const step of replay(disk, calls, root)) {
    steps.push(step);
    acknowledge(step, sent, acknowledged);
    for (const kind of CRASH_KINDS) {
      const job: Job = { point: steps.length - 1, kind, check: 'files' };
      const state = stateOf(disk, job, seed);
      const wrong = faultInFiles(articlesIn(state, disk), sent, acknowledged);
      if (wrong !== undefined) throw broken({ recording, steps }, job, wrong);
      count('states');
    }
  }
  count('points', steps.length);
  for (const one of sent) {
    if (one.acknowledged === undefined) continue;
    count('acknowledged', 1 + one.acknowledged);
    if (acknowledged.get(one.id) !== one.acknowledged)
      throw new Error(`the recording does not contain the answer that acknowledged ${one.id}`);
  }
  return { recording, seed, steps, left: leftBy(disk, recording) };
}

/** @throws Error if the model differs from the real disk; then the replay of the recording is wrong. */
function leftBy(disk: Disk, { root }: Recording): Left {
  const real = flat(readTree(root));
  const files = new Map<number, { path: string; content: Buffer }>();
  const state = crashState(disk, 'written', createRandom('none', 0));
  for (const { path, file } of filesIn(state, disk.root)) {
    if (real.get(path)?.equals(file.written) !== true)
      throw new Error(`the model has other bytes in ${path} than the disk`);
    real.delete(path);
    files.set(file.number, { path, content: file.written });
  }
  const [more] = real.keys();
  if (more !== undefined) throw new Error(`the disk has ${more}, but the model does not`);
  return { dir: root, files };
}

function flat(tree: Tree, prefix = '', files = new Map<string, Buffer>()): Map<string, Buffer> {
  for (const [name, content] of tree) {
    if (Buffer.isBuffer(content)) files.set(`${prefix}${name}`, content);
    else flat(content, `${prefix}${name}/`, files);
  }
  return files;
}

/** Records the version that an answer acknowledges. */
function acknowledge({ answer }: Step, sent: readonly Sent[], acknowledged: Map<string, number>): void {
  if (answer === undefined) return;
  const body = parsed(answer);
  const one = sent.find(({ id, updates }) =>
    body.revision_id === undefined ? id === body.id : updates.includes(body.revision_id),
  );
  if (one === undefined) return;
  const version = body.revision_id === undefined ? 0 : 1 + one.updates.indexOf(body.revision_id);
  acknowledged.set(one.id, Math.max(version, acknowledged.get(one.id) ?? 0));
}

function parsed(answer: string): { readonly id?: string; readonly revision_id?: string } {
  try {
    return JSON.parse(answer) as { id?: string; revision_id?: string };
  } catch {
    // the answer to a lookup, which is too long for one write
    return {};
  }
}

/** The state of a job. It is the same for the same seed. */
function stateOf(disk: Disk, { point, kind }: Job, seed: number) {
  return crashState(disk, kind, createRandom(`power-loss ${point} ${kind}`, seed));
}

function* articlesIn(state: CrashState, disk: Disk) {
  const content = state.entries(disk.root).get('content');
  if (content?.kind !== 'folder') return;
  for (const { path, file } of filesIn(state, content, 'content/'))
    if (path.endsWith('.md')) yield { path, content: state.content(file) };
}

/** How many states of a batch git checks, and on how many a receiver is started. */
const GIT_JOBS = 24;
const RESTARTS = 3;

/** Chooses random states, most of them near a change of a ref, of the index or of a page. */
function chooseJobs(steps: readonly Step[], random: Random): Job[] {
  const near = (place: RegExp) =>
    steps.flatMap(({ what, path = '' }, point) =>
      what.startsWith('rename') && place.test(path) ? [point] : [],
    );
  const refs = near(/^\.git\/(?:refs|HEAD|index|packed-refs)/);
  const pages = near(/^public\//);
  const choose = (check: Check): Job => {
    const moves = check === 'restart' && pages.length > 0 && random.chance(0.7) ? pages : refs;
    const place =
      moves.length > 0 && random.chance(0.6) ? random.pick(moves) + random.integer(-3, 16) : undefined;
    const point = Math.min(Math.max(place ?? random.integer(0, steps.length), 0), steps.length - 1);
    return { point, kind: random.pick(CRASH_KINDS), check };
  };
  const jobs = (count: number, check: Check) => Array.from({ length: count }, () => choose(check));
  return [...jobs(GIT_JOBS, 'git'), ...jobs(RESTARTS, 'restart')];
}

/** A state that was written to a folder. */
interface LaidOut {
  readonly job: Job;
  readonly state: string;
  readonly acknowledged: Acknowledged;
}

function layOutAll({ recording, seed, left }: Examined, jobs: readonly Job[], folder: string): LaidOut[] {
  const { base, calls, root, sent } = recording;
  const disk = createDisk(base);
  const acknowledged = new Map<string, number>();
  const laidOut: LaidOut[] = [];
  let point = 0;
  for (const step of replay(disk, calls, root)) {
    acknowledge(step, sent, acknowledged);
    for (const job of jobs.filter((one) => one.point === point)) {
      const state = join(folder, `${laidOut.length}`);
      const crashed = stateOf(disk, job, seed);
      layOut(crashed, disk, left, state, job.check === 'git' ? '.git' : undefined);
      laidOut.push({ job, state, acknowledged: new Map(acknowledged) });
    }
    point++;
  }
  return laidOut;
}

async function faultIn({ recording }: Examined, { job, state, acknowledged }: LaidOut) {
  const { check } = job;
  const { mode, sent } = recording;
  if (check === 'git') return faultInGit(state, sent, mode === 'commit' ? acknowledged : undefined);
  return faultAfterRestart({
    dir: state,
    sent,
    acknowledged,
    site: mode === 'site',
    workshop: `${state}-workshop`,
  });
}

function broken(
  { recording: { mode }, steps }: Pick<Examined, 'recording' | 'steps'>,
  { point, kind, check }: Job,
  wrong: string,
): BrokenPromise {
  return new BrokenPromise(
    `after a power loss, ${wrong} [mode: ${mode}, step ${point}: ${steps[point]?.what}, state: ${kind}, check: ${check}]`,
  );
}
