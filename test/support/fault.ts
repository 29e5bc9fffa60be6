// Loaded before the program (node --import). Applies the rules of faults.ts: single file-system calls fail, stop or
// kill the process, or save a file as a person's editor would. Also writes a trace of the calls.

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
/** Whether a call is made by this module, or inside of another wrapped call. */
let isInternal = false;

/** Runs `work` without rules and trace for its file-system calls. */
function internally<T>(work: () => T): T {
  isInternal = true;
  try {
    return work();
  } finally {
    isInternal = false;
  }
}

function ruleFor(call: string, paths: readonly string[]): Rule | undefined {
  if (isInternal) return undefined;
  return internally(() => {
    real.appendFileSync(tracePath, `${JSON.stringify({ run, call, paths })}\n`);
    const rules = JSON.parse(real.readFileSync(rulesPath, 'utf8')) as Rule[];
    const rule = rules.find(
      (one) =>
        (one.call === call || (one.call === 'change' && CHANGES.has(call.replace('promises.', '')))) &&
        paths.some((path) => new RegExp(one.path).test(path)),
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

/** Makes a call and applies its rule: the call fails, or something happens just before or after it. */
function callWithRule<T>(call: string, paths: readonly string[], work: () => T, spoil?: () => void): T {
  const rule = ruleFor(call, paths);
  if (rule === undefined) return work();
  if (rule.code !== undefined) {
    if (rule.halfway) spoil?.();
    throw failure(rule.code, call);
  }
  // Opened before the call: an editor that has the file open writes to the same inode, even if the file was renamed.
  const open =
    rule.save === undefined ? undefined : internally(() => real.openSync(rule.save?.path ?? '', 'r+'));
  const happen = () => {
    if (rule.stop) process.kill(process.pid, 'SIGSTOP');
    if (rule.kill) process.kill(process.pid, 'SIGKILL');
    if (open === undefined || rule.save === undefined) return;
    if (rule.save.byRename) {
      real.writeFileSync(`${rule.save.path}~`, rule.save.text);
      real.renameSync(`${rule.save.path}~`, rule.save.path);
      real.closeSync(open);
      return;
    }
    real.ftruncateSync(open);
    real.writeSync(open, rule.save.text, 0);
    real.closeSync(open);
  };
  if (rule.when !== 'after') {
    internally(happen);
    return work();
  }
  const result = countIfSuccessful(rule, work);
  internally(happen);
  return result;
}

/** Does not count a call that fails, so that a rule with `when: 'after'` applies after the next successful call. */
function countIfSuccessful<T>({ name }: Rule, work: () => T): T {
  try {
    return work();
  } catch (error) {
    uses.set(name, (uses.get(name) ?? 1) - 1);
    throw error;
  }
}

/** Passes an injected failure to the callback, as the real function would. */
function failByCallback(done: (error: Error) => void, work: () => void): void {
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
    const fd = callWithRule('open', [String(args[0])], () => real.openSync(...args));
    names.set(fd, String(args[0]));
    return fd;
  },
  writeFileSync: (...args: Parameters<typeof fs.writeFileSync>) => {
    const [file, data] = args;
    const half = () =>
      internally(() => real.writeFileSync(file, String(data).slice(0, String(data).length / 2)));
    callWithRule('write', [nameOf(file)], () => internally(() => real.writeFileSync(...args)), half);
  },
  open: (path: string, ...rest: unknown[]) => {
    const done = rest.pop() as (error: Error | null, fd?: number) => void;
    const named = (error: Error | null, fd?: number) => {
      if (fd !== undefined) names.set(fd, path);
      done(error, fd);
    };
    failByCallback(named, () =>
      callWithRule('open', [path], () => Reflect.apply(real.open, fs, [path, ...rest, named])),
    );
  },
  writeFile: (file: number, data: string | Uint8Array, done: fs.NoParamCallback) => {
    const half = () =>
      internally(() => real.writeFileSync(file, String(data).slice(0, String(data).length / 2)));
    failByCallback(done, () =>
      callWithRule('write', [nameOf(file)], () => real.writeFile(file, data, done), half),
    );
  },
  fsync: (fd: number, done: fs.NoParamCallback) =>
    failByCallback(done, () => callWithRule('fsync', [nameOf(fd)], () => real.fsync(fd, done))),
  link: (from: string, to: string, done: fs.NoParamCallback) =>
    failByCallback(done, () =>
      callWithRule('link', [from, to], () => {
        real.linkSync(from, to); // so that `when: 'after'` means after the link was made
        process.nextTick(done, null);
      }),
    ),
  unlink: (path: string, done: fs.NoParamCallback) =>
    failByCallback(done, () => callWithRule('unlink', [path], () => real.unlink(path, done))),
  linkSync: (from: string, to: string) => callWithRule('link', [from, to], () => real.linkSync(from, to)),
  renameSync: (from: string, to: string) =>
    callWithRule('rename', [from, to], () => real.renameSync(from, to)),
  unlinkSync: (path: string) => callWithRule('unlink', [path], () => real.unlinkSync(path)),
  rmSync: (...args: Parameters<typeof fs.rmSync>) =>
    callWithRule('rm', [String(args[0])], () => internally(() => real.rmSync(...args))),
  mkdirSync: (...args: Parameters<typeof fs.mkdirSync>) =>
    callWithRule('mkdir', [String(args[0])], () => real.mkdirSync(...args)),
});
// With the prefix `promises.`, so that a rule for `rename` applies to the store, and not to the git part, which uses
// node:fs/promises.
for (const name of ['link', 'rename', 'unlink', 'rm', 'mkdir', 'writeFile'] as const) {
  const call = name === 'writeFile' ? 'promises.write' : `promises.${name}`;
  const count = name === 'link' || name === 'rename' ? 2 : 1;
  const promised: (...args: never[]) => Promise<unknown> = fs.promises[name];
  Object.assign(fs.promises, {
    [name]: async (...args: never[]) =>
      callWithRule(call, args.slice(0, count).map(String), () => Reflect.apply(promised, fs.promises, args)),
  });
}
syncBuiltinESMExports();
