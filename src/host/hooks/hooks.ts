import { didYouMean, PressmarkError, quote } from '../../errors.js';
import type { Log } from '../../log.js';
import { checkKeys, complaintsOf, invalid } from '../invalid.js';
import { asPlugin } from '../plugin-code.js';
import {
  type ActionHandler,
  type CallLimits,
  createCalls,
  type FilterCheck,
  type FilterHandler,
  type OnFilterFailure,
  type Registered,
} from './calls.js';
import {
  type ActionName,
  type Actions,
  type Face,
  type FilterName,
  type Filters,
  hooksOf,
} from './hook-types.js';
import { createTimer, type Timing } from './timings.js';

const OTHER: Readonly<Record<Face, Face>> = { receiver: 'pages', pages: 'receiver' };

export interface HandlerOptions {
  /** Lower runs first; equal priorities run in the order added. @default 10 */
  readonly priority?: number;
  /** Named in logs and errors. */
  readonly plugin: string;
  /**
   * Whether the plugin comes with Pressmark. Its handlers run first, so that pages, commits and deploys never wait for other
   * plugins. @default false
   */
  readonly isFirstParty?: boolean;
}

/** A plugin's handler, and how its calls went. */
export interface HookReport extends Timing {
  readonly plugin: string;
  readonly kind: Kind;
  readonly name: string;
}

/** Where hooks run, and how long handlers may take; see `createHooks`. */
export interface HookOptions extends CallLimits {
  /** The face whose hooks exist. @default 'receiver' */
  readonly face?: Face;
  /** Notes an action for the jobs on it; never rejects. */
  readonly note?: <N extends ActionName>(name: N, payload: Actions[N]) => Promise<void>;
}

type Kind = 'filter' | 'action';

/** The hooks as a plugin uses them. @typeParam F the filters that exist. @typeParam A the actions. */
export interface PluginHooks<F extends FilterName = FilterName, A extends ActionName = ActionName> {
  /** @returns a function that removes the handler. */
  addFilter<N extends F>(name: N, handler: FilterHandler<N>, options?: { priority?: number }): () => void;
  /** @returns a function that removes the handler. */
  addAction<N extends A>(name: N, handler: ActionHandler<N>, options?: { priority?: number }): () => void;
  /** Removes a handler, even another plugin's. @returns whether it existed. */
  removeFilter<N extends F>(name: N, handler: FilterHandler<N>): boolean;
  /** Removes a handler, even another plugin's. @returns whether it existed. */
  removeAction<N extends A>(name: N, handler: ActionHandler<N>): boolean;
  /** Whether anything filters `name`. */
  hasFilter(name: F): boolean;
  /** How often an action was run since the start. */
  didAction(name: A): number;
  /** Runs a filter; for plugins with filters that others may add to. */
  applyFilters<N extends F>(
    name: N,
    value: Filters[N]['value'],
    context: Filters[N]['context'],
  ): Promise<Filters[N]['value']>;
  /** Runs an action; for plugins with actions that others may add to. */
  doAction<N extends A>(name: N, payload: Actions[N]): Promise<void>;
}

/** The typed hooks of one host; see `createHooks`. */
export type Hooks = ReturnType<typeof createHooks>;

/**
 * The registry of filters and actions. A filter's failure is the failure of what it filters (the delivery is
 * refused with 500 and sent again), unless somebody takes it in, as what makes pages does; an action's failure is logged and
 * nobody else's business.
 */
export function createHooks(log: Log, options: HookOptions = {}) {
  const { face = 'receiver', note } = options;
  const { callFilter, isSwitchedOff, switchedOff, callAction, isLate } = createCalls(log, options);
  const known = hooksOf(face);
  const names = { filter: new Set(known.filter), action: new Set(known.action) };
  const handlers = { filter: new Map<string, Registered[]>(), action: new Map<string, Registered[]>() };
  const done = new Map<string, number>();
  let sealed = false;

  /** Adds to the hooks that there are: those of a plugin's own. */
  function declare(kind: Kind, hooks: readonly string[]): void {
    for (const name of hooks) names[kind].add(name);
  }

  function add(
    kind: Kind,
    name: string,
    handler: Registered['handler'],
    options: HandlerOptions,
  ): () => void {
    check(kind, name, handler, options);
    const { plugin, isFirstParty = false } = options;
    const run = <T>(call: () => T): T => (isFirstParty ? call() : asPlugin(plugin, call));
    const entry = { handler, priority: rankOf(options), plugin, timer: createTimer(), run };
    const others = handlers[kind].get(name) ?? [];
    const after = others.findIndex(({ priority }) => priority > entry.priority);
    handlers[kind].set(name, others.toSpliced(after === -1 ? others.length : after, 0, entry));
    return () => void remove(kind, name, (one) => one === entry);
  }

  /** @returns whether there was one. */
  function remove(kind: Kind, name: string, isRemoved: (entry: Registered) => boolean): boolean {
    const before = handlers[kind].get(name) ?? [];
    const after = before.filter((entry) => !isRemoved(entry));
    handlers[kind].set(name, after);
    return after.length < before.length;
  }

  /** The handlers of a hook, one after the other; not those that are removed before their turn. */
  function* present(kind: Kind, name: string): Iterable<Registered> {
    for (const entry of handlers[kind].get(name) ?? [])
      if (handlers[kind].get(name)?.includes(entry)) yield entry;
  }

  function check(
    kind: Kind,
    name: string,
    handler: unknown,
    { plugin, priority = 10 }: HandlerOptions,
  ): void {
    checkOpen(plugin, quote(name));
    checkName(plugin, kind, name);
    if (typeof handler !== 'function')
      throw invalid(`plugin ${plugin}: the handler of ${name} is not a function`);
    if (!Number.isFinite(priority))
      throw invalid(
        `plugin ${plugin}: the priority of its handler of ${name} is ${quote(priority)}; it must be a number`,
      );
  }

  /** @throws PressmarkError HOOK_UNKNOWN */
  function checkName(plugin: string, kind: Kind, name: string): void {
    if (names[kind].has(name)) return;
    const other = OTHER[face];
    const what = hooksOf(other)[kind].includes(name)
      ? `the ${kind} ${quote(name)} is one of ${other}(host); use it there`
      : `there is no ${kind} ${quote(name)}${didYouMean(name, names[kind]) || `; docs/plugins.md lists the ${kind}s`}`;
    throw new PressmarkError('HOOK_UNKNOWN', `plugin ${plugin}: ${what}`);
  }

  /** Refuses what a plugin adds after the start. @throws PressmarkError PLUGIN_INVALID */
  function checkOpen(plugin: string, what: string): void {
    if (sealed) throw invalid(`plugin ${plugin} adds ${what} after the start; add it in ${face}(host)`);
  }

  /** Whether anything filters `name`; what no one looks at need not be computed. */
  function hasFilter(name: FilterName): boolean {
    return (handlers.filter.get(name)?.length ?? 0) > 0;
  }

  /** How often an action was run since the start. */
  function didAction(name: ActionName): number {
    return done.get(name) ?? 0;
  }

  /**
   * Hands `value` through the handlers of a filter, one after the other. One fails where it throws, takes too long or returns
   * what is no value of this filter.
   *
   * @param onFailure called for each handler that fails, whose work alone is missing then. @default its failure is thrown
   * @param check what else makes a result the failure of its handler.
   * @throws PressmarkError FILTER_FAILED, naming the plugin; REFUSED_BY_PLUGIN.
   */
  async function applyFilters<N extends FilterName>(
    name: N,
    value: Filters[N]['value'],
    context: Filters[N]['context'],
    onFailure: OnFilterFailure = raise,
    check?: FilterCheck<N>,
  ): Promise<Filters[N]['value']> {
    let current = value;
    for (const entry of present('filter', name)) {
      if (isSwitchedOff(entry.handler)) continue;
      const result = await callFilter(entry, name, current, context, check);
      if (result.kind === 'failed') onFailure(result.failure);
      else current = result.value;
    }
    return current;
  }

  /**
   * Runs the handlers of an action one after the other: those of first-party plugins, then the others by priority. A handler
   * that fails, or runs longer than the time limit, is logged, and the next one runs; until it has ended, its next calls are not
   * waited for. At the end of the service, which has little time, all run side by side. Resolves when the jobs on it are noted and
   * the last one has finished or is no longer waited for; never rejects.
   */
  async function doAction<N extends ActionName>(name: N, payload: Actions[N]): Promise<void> {
    done.set(name, didAction(name) + 1);
    const noted = note?.(name, payload);
    const together: Promise<void>[] = [];
    for (const entry of present('action', name)) {
      const isAwaited = name !== 'host.closing' && !isLate(entry);
      const running = callAction(entry, name, payload);
      // A handler that is not asynchronous ends in the turn in which it was called.
      if (running === undefined) continue;
      if (isAwaited) await running;
      else if (name === 'host.closing') together.push(running);
    }
    await Promise.all([noted, ...together]);
  }

  /** The hooks as a plugin uses them. Names of hooks that do not exist are errors. */
  function ofPlugin(plugin: string, isFirstParty = false): PluginHooks {
    const adding =
      (kind: Kind) =>
      (name: string, handler: Registered['handler'], given: { priority?: number } = {}) => {
        checkKeys(given, ['priority'], complaintsOf(plugin, `the options of its handler of ${name}: `));
        return add(kind, name, handler, { ...given, plugin, isFirstParty });
      };
    const removing =
      (kind: Kind) =>
      (name: string, handler: Registered['handler']): boolean => {
        checkName(plugin, kind, name);
        return remove(kind, name, (entry) => entry.handler === handler);
      };
    const checked =
      <Name extends string, Rest extends unknown[], Result>(
        kind: Kind,
        use: (name: Name, ...rest: Rest) => Result,
      ) =>
      (name: Name, ...rest: Rest): Result => {
        checkName(plugin, kind, name);
        return use(name, ...rest);
      };
    return {
      addFilter: adding('filter'),
      addAction: adding('action'),
      removeFilter: removing('filter'),
      removeAction: removing('action'),
      hasFilter: checked('filter', hasFilter),
      didAction: checked('action', didAction),
      applyFilters: checked('filter', applyFilters),
      doAction: checked('action', doAction),
    };
  }

  /** The handlers of all plugins. */
  function report(): HookReport[] {
    return (['filter', 'action'] as const).flatMap((kind) =>
      [...handlers[kind]].flatMap(([name, entries]) =>
        entries.map(({ plugin, timer }) => ({ plugin, kind, name, ...timer.timing })),
      ),
    );
  }

  /** Ends registration: what the server does must not change while it runs. */
  function seal(): void {
    sealed = true;
  }

  return {
    declare,
    /** @returns what removes the handler. */
    addFilter: <N extends FilterName>(name: N, handler: FilterHandler<N>, options: HandlerOptions) =>
      add('filter', name, handler, options),
    /** @returns what removes the handler. */
    addAction: <N extends ActionName>(name: N, handler: ActionHandler<N>, options: HandlerOptions) =>
      add('action', name, handler, options),
    ofPlugin,
    hasFilter,
    didAction,
    actions: () => [...names.action],
    /** Changes whenever a filter is switched off. */
    switchedOff,
    report,
    checkOpen,
    applyFilters,
    doAction,
    seal,
    /** Whether all plugins are set up. */
    isSealed: () => sealed,
  };
}

/** First-party plugins come before all others. */
function rankOf({ isFirstParty = false, priority = 10 }: HandlerOptions): number {
  return isFirstParty ? Number.NEGATIVE_INFINITY : priority;
}

function raise(failure: PressmarkError): never {
  throw failure;
}
