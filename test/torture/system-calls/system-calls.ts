import fs from 'node:fs';
import { join } from 'node:path';
import { createRandom, type Random } from '../../support/random.js';
import type { Receiver } from '../../support/receiver.js';
import { type Attack, BrokenPromise, type Counts, type Scenario } from '../scenario.js';
import { deliver, nothingSent, type Sent } from './deliveries.js';
import { type Acknowledged, contentsIn, faultAfterRestart, faultInFiles, start } from './promises.js';
import { MODES, type Mode, makeSite } from './recording.js';
import { hexOf, missingStrace } from './strace-log.js';

/** Runs the same course of deliveries again and again, and makes one system call fail in each. */
export const systemCalls: Scenario = {
  name: 'system-calls',
  promise:
    'Whichever system call fails, only stored articles are acknowledged, no file is torn, and the next start restores order.',
  weight: 2,
  missing: missingStrace,
  run,
};

const FULL = ['ENOSPC', 'EDQUOT'];
const REFUSED = ['EROFS', 'EACCES'];

/** The errors that each call can return. */
const ERRORS: Readonly<Record<string, readonly string[]>> = {
  open: ['EIO', ...FULL, ...REFUSED, 'EMFILE', 'ENFILE'],
  openat: ['EIO', ...FULL, ...REFUSED, 'EMFILE', 'ENFILE'],
  write: ['EIO', ...FULL],
  pwrite64: ['EIO', ...FULL],
  writev: ['EIO', ...FULL],
  fsync: ['EIO', ...FULL],
  fdatasync: ['EIO', ...FULL],
  ftruncate: ['EIO'],
  close: ['EIO'],
  rename: ['EIO', ...FULL, ...REFUSED],
  link: ['EIO', ...FULL, ...REFUSED, 'EPERM'],
  unlink: ['EIO', ...REFUSED],
  mkdir: ['EIO', ...FULL, ...REFUSED],
  rmdir: ['EIO', ...REFUSED],
};

/** A system call of the course. */
interface Call {
  readonly name: string;
  /** It is the n-th of this name; each thread counts its own calls. */
  readonly count: number;
  /** Only calls with this path are counted; undefined counts all. */
  readonly path: string | undefined;
}

/** A call that fails. */
interface Fault extends Call {
  readonly error: string;
}

/** So many courses may pass without a call that failed: which calls a course makes differs a little from run to run. */
const MOST_EMPTY = 10;

async function run({ deadline, dir, note, seed, random }: Attack): Promise<Counts> {
  const counts = { courses: 0, faults: 0, refused: 0, ended: 0, acknowledged: 0 };
  const callsOf = new Map<Mode, ReadonlyMap<string, Call[]>>();
  while (performance.now() < deadline || (counts.faults === 0 && counts.courses < MOST_EMPTY)) {
    const mode = MODES[counts.courses % MODES.length] ?? 'disk';
    const folder = join(dir, `course-${counts.courses}`);
    const calls = callsOf.get(mode) ?? (await findCalls(`${folder}-dry`, mode, seed));
    callsOf.set(mode, calls);
    const call = random.pick(random.pick([...calls.values()]));
    const fault = { ...call, error: random.pick(ERRORS[call.name] ?? ['EIO']) };
    const sentence = `${mode}: ${sentenceOf(fault)}`;
    note(sentence);
    const end = await takeCourse(folder, mode, fault, seed);
    counts.courses++;
    counts.faults += end.injected.length;
    counts.refused += end.refused;
    counts.ended += Number(end.hasEnded);
    counts.acknowledged += end.acknowledged;
    if (end.wrong !== undefined)
      throw new BrokenPromise(
        `${sentence}; ${end.wrong} [failed calls: ${end.injected.slice(0, 5).join('; ')}; kept: ${folder}]`,
      );
    fs.rmSync(folder, { recursive: true });
  }
  if (counts.faults === 0) throw new Error(`nothing was tested: no call failed in ${counts.courses} courses`);
  return counts;
}

function sentenceOf({ name, error, count, path }: Fault): string {
  const where = path === undefined ? '' : ` on ${path}`;
  return `call ${count} of ${name} in each thread${where} fails with ${error}`;
}

/** The arguments of strace before those of the receiver. */
const strace = (log: string, ...more: string[]) => [
  'strace',
  '-f',
  '-y',
  '--seccomp-bpf',
  ...more,
  '-o',
  log,
];

/** Runs the course once without a fault. @returns the calls that can fail, by their names. */
async function findCalls(dir: string, mode: Mode, seed: number): Promise<ReadonlyMap<string, Call[]>> {
  fs.mkdirSync(dir, { recursive: true });
  const site = join(fs.realpathSync(dir), 'site');
  makeSite(site, mode, createRandom('site', seed));
  const log = join(dir, 'calls.strace');
  const wrapper = strace(log, '-xx', '-s', '4096', '-e', `trace=${Object.keys(ERRORS).join(',')}`);
  const receiver = await start(site, { wrapper, env: ONE_POOL_THREAD });
  try {
    await deliverAll(receiver, [], createRandom('course', seed));
    await receiver.stop();
  } finally {
    await receiver.kill('SIGKILL');
  }
  const calls = callsIn(fs.readFileSync(log, 'latin1'), site);
  fs.rmSync(dir, { recursive: true });
  if (calls.size === 0) throw new Error('the course has no call that could fail');
  return calls;
}

/**
 * Every call that changes a file of the site, by its number in its thread, and again by its number on its path, unless
 * the path is different in every run.
 */
function callsIn(log: string, site: string): ReadonlyMap<string, Call[]> {
  const folder = hexOf(site);
  const counted = new Map<string, number>();
  const count = (key: string) => {
    const next = (counted.get(key) ?? 0) + 1;
    counted.set(key, next);
    return next;
  };
  const calls = new Map<string, Call[]>();
  const add = (call: Call) => calls.set(call.name, [...(calls.get(call.name) ?? []), call]);
  for (const line of log.split('\n')) {
    const [, thread = '', name = '', text = ''] = /^(\d+) +(\w+)\((.*)$/.exec(line) ?? [];
    if (ERRORS[name] === undefined) continue;
    const number = count(`${thread} ${name}`);
    const isOpen = name === 'openat' || name === 'open';
    if (isOpen && !/O_(?:CREAT|WRONLY|RDWR|TRUNC)/.test(text)) continue;
    const isEntryChange = /^(?:rename|link|unlink|mkdir|rmdir)$/.test(name);
    if (!text.includes(folder) && !isEntryChange) continue;
    const isWrite = /^p?write/.test(name); // its string is what is written
    add({ name, count: number, path: undefined });
    for (const [, hex = ''] of text.matchAll(/["<]((?:\\x[0-9a-f]{2})+)[">]/g)) {
      const path = Buffer.from(hex.replaceAll('\\x', ''), 'hex').toString();
      if (
        path === site ||
        /\s/.test(path) ||
        (isWrite && !path.startsWith(site)) ||
        /[0-9a-f]{8}|objects\/[0-9a-f]{2}|tmp_|\0/.test(path.replace(site, ''))
      )
        continue;
      add({ name, count: count(`${thread} ${name} ${path}`), path: path.replace(site, SITE) });
    }
  }
  return calls;
}

/** A placeholder for the site's folder, which is another one in each course. */
const SITE = '<site>';

/** How a course ended. */
interface End {
  readonly wrong: string | undefined;
  /** The calls that strace made fail. */
  readonly injected: readonly string[];
  /** How many answers had a status of 5xx. */
  readonly refused: number;
  /** Whether the receiver did not start, or ended before it was stopped. */
  readonly hasEnded: boolean;
  readonly acknowledged: number;
}

/**
 * With one thread, libuv's pool makes its calls in one order, so that their numbers are those of the course without a
 * fault.
 */
const ONE_POOL_THREAD = { UV_THREADPOOL_SIZE: '1' };

/** How long a receiver may take to stop. */
const STOP_MS = 25_000;

async function takeCourse(dir: string, mode: Mode, fault: Fault, seed: number): Promise<End> {
  fs.mkdirSync(dir, { recursive: true });
  const site = join(fs.realpathSync(dir), 'site');
  makeSite(site, mode, createRandom('site', seed));
  const log = join(dir, 'failed.strace');
  const { name, error, count, path } = fault;
  const on = path === undefined ? [] : ['-P', path.replace(SITE, site)];
  const inject = `inject=${name}:error=${error}:when=${count}`;
  const wrapper = strace(log, ...on, '-e', `trace=${name}`, '-e', inject);
  const sent: Sent[] = [];
  let refused = 0;
  let wrong: string | undefined;
  let hasEnded = false;
  try {
    const receiver = await start(site, { wrapper, env: ONE_POOL_THREAD });
    try {
      await deliverAll(receiver, sent, createRandom('course', seed), (status, one) => {
        if (status < 500) return;
        refused++;
        if (mode !== 'commit') wrong ??= faultInRefused(site, one, receiver);
      });
      const stopped = await Promise.race([receiver.stop(), later(STOP_MS)]);
      if (stopped === 'late') wrong ??= `the receiver should stop within ${STOP_MS / 1000} s, but did not`;
    } finally {
      fs.writeFileSync(
        join(dir, 'receiver.log'),
        receiver.log.map((line) => JSON.stringify(line)).join('\n'),
      );
      await receiver.kill('SIGKILL');
    }
  } catch (cause) {
    // The receiver may end, but it must log the reason, and it must answer in time while it runs.
    hasEnded = true;
    const text = cause instanceof Error ? cause.message : String(cause);
    const failed = injectedIn(log);
    const isOfNode = failed.length > 0 && !failed.some(isAboutFiles);
    if (/was not (?:answered|ready)/.test(text) && !isOfNode)
      wrong ??= `every delivery, and the start, should be answered, but: ${text}`;
    const isSilent = /ended with \w+: $/.test(text) && failed.every(isAboutFiles);
    if (isSilent) wrong ??= `the receiver should say why it does not start, but: ${text}`;
    fs.writeFileSync(join(dir, 'ended.txt'), text);
  }
  const injected = injectedIn(log);
  const acknowledged = acknowledgedOf(sent);
  wrong ??= faultInFiles(contentsIn(site), sent, acknowledged);
  const workshop = join(dir, 'workshop');
  wrong ??= await faultAfterRestart({
    dir: site,
    sent,
    acknowledged,
    site: mode === 'site',
    workshop,
    failedCalls: injected,
  });
  const total = [...acknowledged.values()].reduce((sum, version) => sum + version + 1, 0);
  return { wrong, injected, refused, hasEnded, acknowledged: total };
}

function injectedIn(log: string): string[] {
  const lines = fs.existsSync(log) ? fs.readFileSync(log, 'utf8').split('\n') : [];
  return lines.filter((line) => line.endsWith('(INJECTED)'));
}

/**
 * Whether an injected failure concerns a file. Node.js aborts without a message, or stands still, if a call on an eventfd, a
 * pipe or a socket between its own threads fails, which does not happen in practice.
 */
function isAboutFiles(injected: string): boolean {
  return !/<(?:anon_inode|pipe|socket):/.test(injected);
}

async function later(ms: number): Promise<'late'> {
  return new Promise((resolve) => setTimeout(() => resolve('late'), ms).unref());
}

function acknowledgedOf(sent: readonly Sent[]): Acknowledged {
  return new Map(
    sent.flatMap(({ id, acknowledged }) => (acknowledged === undefined ? [] : [[id, acknowledged]])),
  );
}

/**
 * After an answer of 5xx the article's file must be unchanged, unless the log says that a write could not be undone.
 */
function faultInRefused(
  site: string,
  { id, updates, acknowledged }: Sent,
  receiver: Receiver,
): string | undefined {
  const line = `\nid: ${JSON.stringify(id)}\n`;
  const files = [...contentsIn(site)].filter(({ content }) => content.includes(line));
  const isExcused = receiver.log.some(({ msg }) => msg.includes('could not be taken back'));
  if (isExcused) return undefined;
  if (acknowledged === undefined && files.length === 0) return undefined;
  const revision = /^revision: "(.*)"$/m.exec(files[0]?.content.toString() ?? '')?.[1] ?? '';
  const version = 1 + updates.indexOf(revision);
  if (files.length === 1 && acknowledged !== undefined && version === acknowledged) return undefined;
  const before = acknowledged === undefined ? 'no file' : `version ${acknowledged}`;
  return `after an answer of 5xx there should be ${before} of ${id}, but there are ${files.length} files with version ${version}`;
}

/** How often a delivery is sent while the answer is 5xx. */
const ATTEMPTS = 3;

/**
 * Sends the deliveries of the course: two articles, each published, looked up, updated and sometimes delivered again.
 */
async function deliverAll(
  receiver: Receiver,
  sent: Sent[],
  random: Random,
  onAnswer?: (status: number, one: Sent) => void,
): Promise<void> {
  for (const id of ['first', 'second']) {
    const one = nothingSent(id);
    sent.push(one);
    await deliver(receiver, one, {
      id,
      updates: 2,
      size: 6_000,
      random,
      attempts: ATTEMPTS,
      onAnswer: (_, status, about) => onAnswer?.(status, about),
    });
  }
}
