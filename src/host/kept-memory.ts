import fs from 'node:fs';
import type { HeapProfiler, Session } from 'node:inspector';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { getHeapStatistics } from 'node:v8';

/** Which plugin has made what this process or thread keeps in its memory; see `watchMemory`. */
export interface KeptMemory {
  readonly plugin: string;
  readonly bytes: number;
}

/** V8 counts what has just been made as well, for which it takes three times 16 MiB. */
const YOUNG_BYTES = 3 * 16 * 2 ** 20;

/** The memory that JavaScript may keep: V8 ends a process that needs more, without a word. */
const MOST_MEMORY = getHeapStatistics().heap_size_limit - YOUNG_BYTES;

/** When so much of it is in use, it is noted what makes more; when so much is kept, the plugin is named that has made the most. */
const NOTED_FROM = 0.5 * MOST_MEMORY;
const NAMED_FROM = 0.8 * MOST_MEMORY;

/** When so much is in use, the garbage is collected, as V8 would soon have to: only what that leaves is kept. */
const COLLECTED_FROM = 0.9 * MOST_MEMORY;

/** A plugin that keeps less is not named. */
const LEAST_BYTES = 0.1 * MOST_MEMORY;

/** So much is made between two samples, in bytes: what is kept is known by hundreds of them, and they cost next to nothing. */
const SAMPLE_EVERY = 2 ** 19;

/** The plugins by the beginnings of the URLs of their code. */
const plugins = new Map<string, string>();

/** Has what the code of a plugin makes be known as its. @param file its module, absolute. */
export function knowCode(plugin: string, file: string): void {
  const { href } = pathToFileURL(fs.realpathSync(file));
  const [folder = href] = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+\//.exec(href) ?? [];
  plugins.set(folder, plugin);
}

/**
 * Names the plugin that keeps the most memory, once, while there is some left. Until half of it is in use, this costs nothing.
 *
 * @returns what is to be called after each call of a plugin, with the memory in use, in bytes.
 */
export function watchMemory(onKept: (kept: KeptMemory) => void): (used: number) => void {
  let session: Session | undefined;
  let isNamed = false;
  let collectedFrom = COLLECTED_FROM;
  return (used) => {
    if (used < NOTED_FROM || isNamed) return;
    session ??= startNoting();
    if (used < collectedFrom) return;
    session.post('HeapProfiler.collectGarbage');
    const kept = getHeapStatistics().used_heap_size;
    // V8 ends a process in which collections free nothing several times in a row.
    collectedFrom = Math.max(COLLECTED_FROM, kept + LEAST_BYTES);
    if (kept < NAMED_FROM) return;
    session.post('HeapProfiler.getSamplingProfile', (error, result) => {
      const most = error === null ? mostKept(result.profile.head) : undefined;
      if (most === undefined || most.bytes < LEAST_BYTES) return;
      isNamed = true;
      session?.disconnect();
      onKept(most);
    });
  };
}

function startNoting(): Session {
  const inspector: typeof import('node:inspector') = createRequire(import.meta.url)('node:inspector');
  const session = new inspector.Session();
  session.connect();
  session.post('HeapProfiler.startSampling', { samplingInterval: SAMPLE_EVERY });
  return session;
}

/** The plugin that has made the most of what is there; what it has called belongs to it. */
function mostKept(head: HeapProfiler.SamplingHeapProfileNode): KeptMemory | undefined {
  const kept = new Map<string, number>();
  const nodes: [node: HeapProfiler.SamplingHeapProfileNode, caller: string | undefined][] = [
    [head, undefined],
  ];
  for (const [{ callFrame, selfSize, children }, caller] of nodes) {
    const plugin = pluginAt(callFrame.url) ?? caller;
    if (plugin !== undefined) kept.set(plugin, (kept.get(plugin) ?? 0) + selfSize);
    for (const child of children) nodes.push([child, plugin]);
  }
  const [most] = [...kept].sort(([, one], [, other]) => other - one);
  return most && { plugin: most[0], bytes: most[1] };
}

function pluginAt(url: string): string | undefined {
  const [, plugin] = [...plugins].find(([code]) => url.startsWith(code)) ?? [];
  return plugin;
}
