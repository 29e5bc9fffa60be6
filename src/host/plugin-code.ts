import { AsyncLocalStorage } from 'node:async_hooks';
import { getHeapStatistics } from 'node:v8';

/** The plugin whose code is running, including the timers, promises and sockets that it started. */
const running = new AsyncLocalStorage<string>();

/** A call of a plugin that used too much time or memory. */
export type Excess =
  /** It blocked the thread. */
  | { readonly kind: 'time'; readonly plugin: string; readonly ms: number }
  /** It used this much memory. When none is left, V8 ends the process without a message. */
  | { readonly kind: 'memory'; readonly plugin: string; readonly bytes: number };

/** How long code may block the thread before it is reported, in milliseconds. */
export const STALL_MS = 1_000;

/** The memory that one call may use before it is reported, in bytes. */
const MOST_MEMORY = getHeapStatistics().heap_size_limit / 10;

/** The number of unfinished calls of each plugin. */
const unfinished = new Map<string, number>();
let onExcess: ((excess: Excess) => void) | undefined;

/** Runs code as the plugin's: its errors, now or later, are attributed to the plugin. */
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

/** Loads code of a plugin: what it starts is attributed to the plugin, but not the time that loading takes. */
export function begunBy<T>(plugin: string, load: () => T): T {
  return running.run(plugin, load);
}

/** Runs code of the host that a plugin has called: what it starts is not attributed to the plugin. */
export function asHost<T>(run: () => T): T {
  return running.exit(run);
}

/** The plugin whose code is running, or has started what is running; undefined if there is none. */
export function pluginRunning(): string | undefined {
  return running.getStore();
}

/** The plugins with unfinished calls. */
export function unfinishedPlugins(): string[] {
  return [...unfinished.keys()];
}

/** Reports calls of plugins that used too much time or memory. */
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
