import type { ArticleDraft } from '../../article/article.js';
import { didYouMean, messageOf, PressmarkError, quote } from '../../errors.js';
import type { Log } from '../../log.js';
import { TimeoutError, within } from '../../time-limit.js';
import { createBlame } from '../blame.js';
import { asPlugin } from '../plugin-code.js';
import { type Decision, Hold, Refusal } from './decision.js';
import { faultInResult } from './filter-results.js';
import {
  type ActionName,
  type Actions,
  type Face,
  type FilterName,
  type Filters,
  hooksOf,
} from './hook-types.js';
import { createTimer, type Timer, type Timing } from './timings.js';

const OTHER: Readonly<Record<Face, Face>> = { receiver: 'pages', pages: 'receiver' };

export type FilterHandler<N extends FilterName> = (
  value: Filters[N]['value'],
  context: Filters[N]['context'],
) => FilterResult<N> | Promise<FilterResult<N>>;

type FilterResult<N extends FilterName> =
  | Filters[N]['value']
  | (N extends 'article.draft' ? Decision : never);

export type ActionHandler<N extends ActionName> = (payload: Actions[N]) => unknown;

export interface HandlerOptions {
  /** Lower runs first; equal priorities run in the order added. @default 10 */
  readonly priority?: number;
  /** Named in logs and errors. */
  readonly plugin: string;
  /** Whether the plugin comes with Pressmark: pages, commits and deploys never wait for other plugins. @default false */
  readonly isFirstParty?: boolean;
}

interface Registered {
  readonly handler: (...args: never[]) => unknown;
  readonly priority: number;
  readonly plugin: string;
  readonly timer: Timer;
  /** Runs its code as that of the plugin; what comes with Pressmark runs as it is. */
  readonly run: <T>(call: () => T) => T;
}

/** A handler of a plugin, and how its calls went. */
export interface HookReport extends Timing {
  readonly plugin: string;
  readonly kind: Kind;
  readonly name: string;
}

/** Where hooks run, and how long handlers may take; see `createHooks`. */
export interface HookOptions {
  readonly face?: Face;
  readonly filterTimeoutMs?: number;
  readonly actionTimeoutMs?: number;
  readonly mostFailures?: number;
  /** Notes an action for the jobs on it; never rejects. */
  readonly note?: <N extends ActionName>(name: N, payload: Actions[N]) => Promise<void>;
  /** See `Jobs.noteFirst`. */
  readonly noteFirst?: NoteFirst;
}

/**
 * Notes an action for the jobs on it before it is done, with the object that it will hand over.
 *
 * @throws the system's errors
 */
export type NoteFirst = <N extends 'git.committed' | 'git.pushed' | 'deploy.done'>(
  name: N,
  payload: Actions[N],
) => Promise<void>;

type Kind = 'filter' | 'action';

/** The hooks as a plugin uses them. @typeParam F the filters that there are. @typeParam A the actions. */
export interface PluginHooks<F extends FilterName = FilterName, A extends ActionName = ActionName> {
  /** @returns a function that removes the handler. */
  addFilter<N extends F>(name: N, handler: FilterHandler<N>, options?: { priority?: number }): () => void;
  /** @returns a function that removes the handler. */
  addAction<N extends A>(name: N, handler: ActionHandler<N>, options?: { priority?: number }): () => void;
  /** Removes a handler, also that of another plugin. @returns whether it was there. */
  removeFilter<N extends F>(name: N, handler: FilterHandler<N>): boolean;
  /** Removes a handler, also that of another plugin. @returns whether it was there. */
  removeAction<N extends A>(name: N, handler: ActionHandler<N>): boolean;
  /** Whether anything filters `name`. */
  hasFilter(name: F): boolean;
  /** How often an action was done since the start. */
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
 * refused with 500 and sent again); an action's failure is logged and nobody else's business.
 *
 * @param options.face whose hooks there are. @default 'receiver'
 * @param options.filterTimeoutMs how long one filter handler may take. @default 5000
 * @param options.mostFailures after failures on how many pages in a row a filter handler is switched off until the next start: else
 *   no page of a site would be made any more. @default Infinity
 * @param options.actionTimeoutMs after how long a running action handler is reported and no longer waited for. @default 30000
 */
export function createHooks(log: Log, options: HookOptions = {}) {
  const {
    face = 'receiver',
    filterTimeoutMs = 5_000,
    actionTimeoutMs = 30_000,
    mostFailures = Number.POSITIVE_INFINITY,
    note,
    noteFirst = async () => undefined,
  } = options;
  /** The pages on which filter handlers have failed in a row. */
  const failures = new WeakMap<object, Set<unknown>>();
  /** The filters that are switched off, as the log has named them. */
  const switchedOff: string[] = [];
  const known = hooksOf(face);
  const names = { filter: new Set(known.filter), action: new Set(known.action) };
  const handlers = { filter: new Map<string, Registered[]>(), action: new Map<string, Registered[]>() };
  const done = new Map<string, number>();
  const blame = createBlame(log);
  /** The last call of a handler that is not waited for any more, and has not ended. */
  const late = new Map<Registered, Promise<unknown>>();
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

  function check(
    kind: Kind,
    name: string,
    handler: unknown,
    { plugin, priority = 10 }: HandlerOptions,
  ): void {
    checkOpen(plugin, quote(name));
    checkName(plugin, kind, name);
    if (typeof handler !== 'function')
      throw new PressmarkError(
        'PLUGIN_INVALID',
        `plugin ${plugin}: the handler of ${name} is not a function`,
      );
    if (!Number.isFinite(priority))
      throw new PressmarkError(
        'PLUGIN_INVALID',
        `plugin ${plugin}: the priority of its handler of ${name} is ${quote(priority)}; it must be a number`,
      );
  }

  /** @throws PressmarkError HOOK_UNKNOWN */
  function checkName(plugin: string, kind: Kind, name: string): void {
    if (names[kind].has(name)) return;
    const other = OTHER[face];
    const what = hooksOf(other)[kind].includes(name)
      ? `the ${kind} ${quote(name)} is one of ${other}(host); use it there`
      : `there is no ${kind} ${quote(name)}${didYouMean(name, names[kind])}`;
    throw new PressmarkError('HOOK_UNKNOWN', `plugin ${plugin}: ${what}`);
  }

  /** Refuses what a plugin adds after the start. @throws PressmarkError PLUGIN_INVALID */
  function checkOpen(plugin: string, what: string): void {
    if (sealed)
      throw new PressmarkError(
        'PLUGIN_INVALID',
        `plugin ${plugin} adds ${what} after the start; add it in ${face}(host)`,
      );
  }

  /** Whether anything filters `name`; what no one looks at need not be computed. */
  function hasFilter(name: FilterName): boolean {
    return (handlers.filter.get(name)?.length ?? 0) > 0;
  }

  function removeFilter(name: FilterName, handler: Registered['handler']): boolean {
    return remove('filter', name, (entry) => entry.handler === handler);
  }

  function removeAction(name: ActionName, handler: Registered['handler']): boolean {
    return remove('action', name, (entry) => entry.handler === handler);
  }

  /** How often an action was done since the start. */
  function didAction(name: ActionName): number {
    return done.get(name) ?? 0;
  }

  /**
   * Hands `value` through the handlers of a filter, one after the other.
   *
   * @throws PressmarkError FILTER_FAILED, naming the plugin, where a handler throws, takes too long or returns what is no value of this filter.
   */
  async function applyFilters<N extends FilterName>(
    name: N,
    value: Filters[N]['value'],
    context: Filters[N]['context'],
  ): Promise<Filters[N]['value']> {
    let current = value;
    for (const { handler, plugin, timer, run } of handlers.filter.get(name) ?? []) {
      const call = handler as FilterHandler<N>; // as `addFilter` has taken it
      const what = `filter ${name} of plugin ${plugin}`;
      if (isSwitchedOff(handler)) continue;
      const fail = (why: string) => {
        noteFailure(handler, plugin, what, why, pageOf(name, context));
        return new PressmarkError('FILTER_FAILED', `${what} ${why}`);
      };
      let next: FilterResult<N>;
      let fault: string | undefined;
      let isDone = false;
      const began = performance.now();
      let refusal: Refusal | undefined;
      try {
        next = await within(
          filterTimeoutMs,
          run(async () => call(current, context)),
        );
        if (next instanceof Refusal) refusal = next;
        else if (next instanceof Hold) next = { ...(current as ArticleDraft), held: next.reason };
        fault = faultInResult(name, next);
        isDone = fault === undefined;
      } catch (error) {
        if (error instanceof TimeoutError) throw fail(`took longer than ${filterTimeoutMs} ms`);
        const { message } = fail(`failed: ${messageOf(error)}`);
        // A plugin's own words are for the log: they may name paths of the machine.
        const publicMessage = `${what} failed: the receiver’s log says why`;
        throw new PressmarkError('FILTER_FAILED', message, { cause: error, publicMessage });
      } finally {
        timer.ended(began, !isDone);
      }
      if (fault !== undefined) throw fail(`returned ${fault}`);
      failures.delete(handler);
      if (refusal !== undefined)
        throw new PressmarkError('REFUSED_BY_PLUGIN', `plugin ${plugin}: ${refusal.words}`, refusal);
      current = next as Filters[N]['value'];
    }
    return current;
  }

  function isSwitchedOff(handler: object): boolean {
    return (failures.get(handler)?.size ?? 0) >= mostFailures;
  }

  function noteFailure(handler: object, plugin: string, what: string, why: string, page: unknown): void {
    if (isSwitchedOff(handler)) return; // several pages were made at once
    failures.set(handler, new Set([...(failures.get(handler) ?? []), page]));
    if (!isSwitchedOff(handler)) return;
    switchedOff.push(what);
    log.error(
      { plugin, reason: why },
      `${what} is switched off: it has failed on ${mostFailures} pages in a row. Correct it, and start again`,
    );
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
    for (const entry of handlers.action.get(name) ?? []) {
      const isAwaited = name !== 'host.closing' && !late.has(entry);
      const running = runAction(entry, name, payload);
      // A handler that is not asynchronous ends in the turn in which it was called.
      if (running === undefined) continue;
      if (isAwaited) await running;
      else if (name === 'host.closing') together.push(running);
    }
    await Promise.all([noted, ...together]);
  }

  /** @returns what resolves when the handler has ended or is late; undefined if it has ended. Never rejects. */
  function runAction<N extends ActionName>(
    entry: Registered,
    name: N,
    payload: Actions[N],
  ): Promise<void> | undefined {
    const { handler, plugin, timer, run } = entry;
    const call = handler as ActionHandler<N>; // as `addAction` has taken it
    const began = performance.now();
    const about = { plugin, action: name };
    const failed = (err: unknown) => {
      timer.ended(began, true);
      blame('error', `${plugin} ${name}`, { ...about, err }, 'action handler failed');
    };
    try {
      const result = run(() => call(payload));
      if (!isThenable(result)) return void timer.ended(began, false);
      const running = Promise.resolve(result);
      return within(actionTimeoutMs, running).then(
        () => timer.ended(began, false),
        (error: unknown) => {
          if (!(error instanceof TimeoutError)) return failed(error);
          timer.ended(began, true);
          late.set(entry, running);
          const ended = () => void (late.get(entry) === running && late.delete(entry));
          running.then(ended, ended);
          const words = `action handler is still running after ${actionTimeoutMs} ms`;
          return blame('warn', `${plugin} ${name} late`, about, words);
        },
      );
    } catch (error) {
      return void failed(error);
    }
  }

  /** The hooks as a plugin uses them. Names of hooks that do not exist are errors. */
  function ofPlugin(plugin: string, isFirstParty = false): PluginHooks {
    const options = (priority?: number) => ({
      plugin,
      isFirstParty,
      ...(priority !== undefined && { priority }),
    });
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
      addFilter: (name, handler, { priority } = {}) => add('filter', name, handler, options(priority)),
      addAction: (name, handler, { priority } = {}) => add('action', name, handler, options(priority)),
      removeFilter: checked('filter', removeFilter),
      removeAction: checked('action', removeAction),
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
        entries.map(({ plugin, timer }) => ({ plugin, kind, name, ...timer.now })),
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
    switchedOff: () => switchedOff.join(', '),
    report,
    checkOpen,
    applyFilters,
    noteFirst,
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

/** What tells pages apart in the context of a filter of pages. A feed and the sitemap are of all articles: each failure counts. */
function pageOf(name: FilterName, context: unknown): unknown {
  if (name === 'feed.items' || name === 'sitemap.items') return Symbol(name);
  const { path, canonical, url }: Readonly<Record<string, unknown>> = Object(context);
  return path ?? canonical ?? url;
}

function isThenable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
