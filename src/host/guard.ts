import type { Log } from '../log.js';
import { createBlame } from './blame.js';
import { asPlugin, pluginRunning, STALL_MS, unfinishedPlugins, watchExcess } from './plugin-code.js';

/** The guard of a process or a thread; see `guardAgainstPlugins`. */
export interface Guard {
  /** Ends the process, even if the call comes from a plugin's code. */
  exit(code: number): never;
  /** Names the plugins that have left intervals running. */
  reportLeft(): void;
}

/** How often the guard checks whether the thread was blocked, in milliseconds. */
const LOOK_EVERY_MS = 500;

/**
 * Keeps plugins from ending this process with `process.exit`, which throws an error instead.
 *
 * @returns what allows it again.
 */
export function refuseExit(report?: (plugin: string, err: Error) => void): () => void {
  const { exit } = process;
  process.exit = (...codes) => {
    const plugin = pluginRunning();
    if (plugin === undefined) return exit.apply(process, codes);
    const err = new Error(`plugin ${plugin} must not end the process`);
    report?.(plugin, err);
    throw err;
  };
  return () => {
    process.exit = exit;
  };
}

/** Logs once what a plugin has done. */
type BlamePlugin = (plugin: string, what: string, details?: object) => void;

function blameIn(log: Log): BlamePlugin {
  const say = createBlame(log);
  return (plugin, what, details = {}) =>
    say('error', `${plugin} ${what}`, { plugin, ...details }, `plugin ${plugin} ${what}`);
}

/**
 * Keeps plugins from ending this process or thread by `process.exit`, an uncaught error or an unhandled rejection.
 *
 * @param others called for errors that are not a plugin's.
 * @returns what allows it again.
 */
function catchFaults(
  blame: BlamePlugin,
  others: { readonly rejected: (err: unknown) => void; readonly thrown: (err: unknown) => void },
): () => void {
  const refusals = new WeakSet<object>();
  const allowExit = refuseExit((plugin, err) => {
    refusals.add(err);
    blame(plugin, 'has called process.exit, which is refused', { err });
  });
  const caught = (what: string, other: (err: unknown) => void) => (err: unknown) => {
    if (refusals.has(Object(err))) return;
    const plugin = pluginRunning();
    if (plugin === undefined) other(err);
    else blame(plugin, what, { err });
  };
  const onRejected = caught('has a promise that was rejected, and nothing handles it', others.rejected);
  const onThrown = caught('has thrown an error that nothing catches', others.thrown);
  process.on('unhandledRejection', onRejected).on('uncaughtException', onThrown);
  return () => {
    allowExit();
    process.off('unhandledRejection', onRejected).off('uncaughtException', onThrown);
  };
}

/** Whether the guard stays for the life of this process or thread. */
let isGuarded = false;

/**
 * Keeps plugins from ending the process of a command while their code runs. Other errors end the process as usual.
 *
 * @returns a function that removes the guard.
 */
export function guardMeanwhile(log: Log): () => void {
  if (isGuarded) return () => undefined;
  const asEver = (err: unknown) => {
    release();
    throw err;
  };
  const release = catchFaults(blameIn(log), { rejected: asEver, thrown: asEver });
  return release;
}

/**
 * Guards this process or thread like `guardMeanwhile`, and names the plugins that block it or leave intervals running. An error
 * that is not a plugin's ends it.
 */
export function guardAgainstPlugins(log: Log): Guard {
  isGuarded = true;
  const intervals = new Map<NodeJS.Timeout, string>();
  const blame = blameIn(log);
  const exit = process.exit.bind(process);
  catchFaults(blame, {
    rejected: (err) => log.error({ err }, 'unhandled rejection'),
    thrown: (err) => {
      log.fatal({ err }, 'an error that nothing catches');
      exit(1);
    },
  });

  let stallSeen = Number.NEGATIVE_INFINITY;
  watchExcess((excess) => {
    if (excess.kind === 'time') stallSeen = performance.now();
    const { kind, plugin, ...details } = excess;
    const what =
      kind === 'time'
        ? 'has kept the receiver from doing anything else'
        : 'has taken much memory in one call';
    blame(plugin, what, details);
  });
  let looked = performance.now();
  setInterval(() => {
    const ms = performance.now() - looked - LOOK_EVERY_MS;
    const isNamed = stallSeen >= looked;
    looked = performance.now();
    if (ms < STALL_MS || isNamed) return;
    // It may have been any of the unfinished plugins.
    for (const plugin of unfinishedPlugins())
      log.warn({ plugin, ms: Math.round(ms) }, `the receiver stood still while plugin ${plugin} was at work`);
  }, LOOK_EVERY_MS).unref();

  const {
    setInterval: interval,
    setTimeout: timeout,
    clearInterval: clear,
    clearTimeout: clearOne,
  } = globalThis;
  /** The same function, attributed to the plugin that has set it. */
  const measured = (run: unknown) => {
    const plugin = pluginRunning();
    if (plugin === undefined || typeof run !== 'function') return run;
    return (...args: unknown[]) => asPlugin(plugin, () => run(...args));
  };
  const forget = (timer: unknown) => void intervals.delete(timer as NodeJS.Timeout);
  replace('setInterval', (run, ...rest) => {
    const timer = Reflect.apply(interval, globalThis, [measured(run), ...rest]) as NodeJS.Timeout;
    const plugin = pluginRunning();
    if (plugin !== undefined) intervals.set(timer, plugin);
    return timer;
  });
  replace('setTimeout', (run, ...rest) => Reflect.apply(timeout, globalThis, [measured(run), ...rest]));
  replace('clearInterval', (timer) => {
    forget(timer);
    Reflect.apply(clear, globalThis, [timer]);
  });
  replace('clearTimeout', (timer) => {
    forget(timer);
    Reflect.apply(clearOne, globalThis, [timer]);
  });

  function reportLeft(): void {
    for (const [timer, plugin] of intervals)
      if (timer.hasRef()) blame(plugin, 'has left an interval running; clear it in onClose');
    for (const timer of [...intervals.keys()]) clearInterval(timer);
  }

  return { exit, reportLeft };
}

/** Replaces a global function and keeps its properties, such as its form for `promisify`. */
function replace(
  name: 'setInterval' | 'setTimeout' | 'clearInterval' | 'clearTimeout',
  by: (...args: unknown[]) => unknown,
): void {
  const before = globalThis[name];
  Object.assign(globalThis, {
    [name]: Object.defineProperties(by, Object.getOwnPropertyDescriptors(before)),
  });
}
