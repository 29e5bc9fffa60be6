// Loaded before the program (node --import): lets a test make single file-system calls fail, stop or kill the process,
// lets a person save a file at an exact moment, and writes down what was called, in its order.

import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import type { Rule } from './faults.js';

const { PRESSMARK_TEST_RULES: rulesPath = '', PRESSMARK_TEST_TRACE: tracePath = '' } = process.env;
const real = { ...fs };
const names = new Map<number, string>();
const uses = new Map<string, number>();
const run = randomUUID();
/** What `change` stands for. */
const CHANGES = new Set(['write', 'fsync', 'link', 'rename', 'unlink', 'rm', 'mkdir']);
let ours = false;

/** What of our own doing calls the wrapped functions again must not be seen by them. */
function privately<T>(work: () => T): T {
  ours = true;
  try {
    return work();
  } finally {
    ours = false;
  }
}

function ruleFor(call: string, paths: readonly string[]): Rule | undefined {
  if (ours) return undefined;
  return privately(() => {
    real.appendFileSync(tracePath, `${JSON.stringify({ run, call, paths })}\n`);
    const rules = JSON.parse(real.readFileSync(rulesPath, 'utf8')) as Rule[];
    const rule = rules.find(
      (one) =>
        (one.call === call || (one.call === 'change' && CHANGES.has(call.replace('promises.', '')))) &&
        paths.some((path) => new RegExp(one.path).test(path)) &&
        (one.unless === undefined || real.readFileSync(one.unless.path, 'utf8') !== one.unless.text),
    );
    if (rule === undefined) return undefined;
    const used = (uses.get(rule.name) ?? 0) + 1;
    uses.set(rule.name, used);
    const skip = rule.skip ?? 0;
    return used <= skip || used > skip + (rule.times ?? Number.POSITIVE_INFINITY) ? undefined : rule;
  });
}

function failure(code: string, call: string): Error {
  return Object.assign(new Error(`${code}: injected, ${call}`), { code, syscall: call });
}

/** Runs a call under its rule: a failure, or something that happens just before or after it. */
function under<T>(call: string, paths: readonly string[], work: () => T, spoil?: () => void): T {
  const rule = ruleFor(call, paths);
  if (rule === undefined) return work();
  if (rule.code !== undefined) {
    if (rule.halfway) spoil?.();
    throw failure(rule.code, call);
  }
  // A person who has the file open already writes into the same inode, whatever its name is by then.
  const open =
    rule.save === undefined ? undefined : privately(() => real.openSync(rule.save?.path ?? '', 'r+'));
  const happen = () => {
    if (rule.stop) process.kill(process.pid, 'SIGSTOP');
    if (rule.kill) process.kill(process.pid, 'SIGKILL');
    if (open === undefined || rule.save === undefined) return;
    real.ftruncateSync(open);
    real.writeSync(open, rule.save.text, 0);
    real.closeSync(open);
  };
  if (rule.when !== 'after') {
    privately(happen);
    return work();
  }
  const result = unlessItFails(rule, work);
  privately(happen);
  return result;
}

/** There is no moment after a call that failed; the rule waits for the next. */
function unlessItFails<T>({ name }: Rule, work: () => T): T {
  try {
    return work();
  } catch (error) {
    uses.set(name, (uses.get(name) ?? 1) - 1);
    throw error;
  }
}

/** Hands a failure to the callback, as the real function would. */
function later(done: (error: Error) => void, work: () => void): void {
  try {
    work();
  } catch (error) {
    process.nextTick(done, error);
  }
}

function nameOf(file: unknown): string {
  return typeof file === 'number' ? (names.get(file) ?? `fd ${file}`) : String(file);
}

Object.assign(fs, {
  openSync: (...args: Parameters<typeof fs.openSync>) => {
    const fd = under('open', [String(args[0])], () => real.openSync(...args));
    names.set(fd, String(args[0]));
    return fd;
  },
  writeFileSync: (...args: Parameters<typeof fs.writeFileSync>) => {
    const [file, data] = args;
    const half = () =>
      privately(() => real.writeFileSync(file, String(data).slice(0, String(data).length / 2)));
    under('write', [nameOf(file)], () => privately(() => real.writeFileSync(...args)), half);
  },
  open: (path: string, ...rest: unknown[]) => {
    const done = rest.pop() as (error: Error | null, fd?: number) => void;
    const named = (error: Error | null, fd?: number) => {
      if (fd !== undefined) names.set(fd, path);
      done(error, fd);
    };
    later(named, () => under('open', [path], () => Reflect.apply(real.open, fs, [path, ...rest, named])));
  },
  writeFile: (file: number, data: string | Uint8Array, done: fs.NoParamCallback) => {
    const half = () =>
      privately(() => real.writeFileSync(file, String(data).slice(0, String(data).length / 2)));
    later(done, () => under('write', [nameOf(file)], () => real.writeFile(file, data, done), half));
  },
  fsync: (fd: number, done: fs.NoParamCallback) =>
    later(done, () => under('fsync', [nameOf(fd)], () => real.fsync(fd, done))),
  link: (from: string, to: string, done: fs.NoParamCallback) =>
    later(done, () =>
      under('link', [from, to], () => {
        real.linkSync(from, to); // so that what happens after it really does
        process.nextTick(done, null);
      }),
    ),
  unlink: (path: string, done: fs.NoParamCallback) =>
    later(done, () => under('unlink', [path], () => real.unlink(path, done))),
  linkSync: (from: string, to: string) => under('link', [from, to], () => real.linkSync(from, to)),
  renameSync: (from: string, to: string) => under('rename', [from, to], () => real.renameSync(from, to)),
  unlinkSync: (path: string) => under('unlink', [path], () => real.unlinkSync(path)),
  rmSync: (...args: Parameters<typeof fs.rmSync>) =>
    under('rm', [String(args[0])], () => privately(() => real.rmSync(...args))),
  mkdirSync: (...args: Parameters<typeof fs.mkdirSync>) =>
    under('mkdir', [String(args[0])], () => real.mkdirSync(...args)),
  statSync: (...args: Parameters<typeof fs.statSync>) =>
    under('stat', [String(args[0])], () => real.statSync(...args)),
});
// Under names of their own, so that a rule for `rename` means the store's and not git's.
for (const name of ['link', 'rename', 'unlink', 'rm', 'mkdir', 'writeFile'] as const) {
  const call = name === 'writeFile' ? 'promises.write' : `promises.${name}`;
  const count = name === 'link' || name === 'rename' ? 2 : 1;
  const promised: (...args: never[]) => Promise<unknown> = fs.promises[name];
  Object.assign(fs.promises, {
    [name]: async (...args: never[]) =>
      under(call, args.slice(0, count).map(String), () => Reflect.apply(promised, fs.promises, args)),
  });
}
syncBuiltinESMExports();
