import { AsyncLocalStorage } from 'node:async_hooks';
import { getHeapStatistics } from 'node:v8';

/** The plugin whose code runs, also in what it has begun: timers, promises, sockets. */
const running = new AsyncLocalStorage<string>();

/** A call of a plugin that took too much of what it shares with everything else. */
export type Excess =
  /** It held up everything else. */
  | { readonly kind: 'time'; readonly plugin: string; readonly ms: number }
  /** It took so much memory; when none is left, V8 ends the process without a message. */
  | { readonly kind: 'memory'; readonly plugin: string; readonly bytes: number };

/** How long code may block the thread before it is reported, in milliseconds. */
export const STALL_MS = 1_000;

/** The part of JavaScript's memory that one call may take before it is reported. */
const MOST_MEMORY = getHeapStatistics().heap_size_limit / 10;

/** How many calls of each plugin have not ended. */
const unfinished = new Map<string, number>();
let onExcess: ((excess: Excess) => void) | undefined;

/** Runs code of a plugin: what goes wrong in it, now or later, is known to be that plugin's. */
export function asPlugin<T>(plugin: string, run: () => T): T {
  const began = performance.now();
  const before = getHeapStatistics().used_heap_size;
  try {
    const result = running.run(plugin, run);
    if (result instanceof Promise) countUntilEnd(plugin, result);
    return result;
  } finally {
    const ms = Math.round(performance.now() - began);
    const bytes = getHeapStatistics().used_heap_size - before;
    if (ms >= STALL_MS) onExcess?.({ kind: 'time', plugin, ms });
    if (bytes >= MOST_MEMORY) onExcess?.({ kind: 'memory', plugin, bytes });
  }
}

/** Loads code of a plugin: what it begins is known to be that plugin's; the time that loading takes is not. */
export function begunBy<T>(plugin: string, load: () => T): T {
  return running.run(plugin, load);
}

/** Runs code of the host that a plugin has called: what it begins is not the plugin's. */
export function asHost<T>(run: () => T): T {
  return running.exit(run);
}

/** The plugin whose code runs, or has begun what runs; undefined if it is not a plugin's. */
export function pluginRunning(): string | undefined {
  return running.getStore();
}

/** The plugins that were called and have not ended. */
export function unfinishedPlugins(): string[] {
  return [...unfinished.keys()];
}

/** Reports calls of plugins that took too much. */
export function watchExcess(report: (excess: Excess) => void): void {
  onExcess = report;
}

function countUntilEnd(plugin: string, work: Promise<unknown>): void {
  unfinished.set(plugin, (unfinished.get(plugin) ?? 0) + 1);
  const end = () => {
    const others = (unfinished.get(plugin) ?? 1) - 1;
    if (others === 0) unfinished.delete(plugin);
    else unfinished.set(plugin, others);
  };
  work.then(end, end);
}
