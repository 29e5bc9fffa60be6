import type { ArticleDraft } from '../../article/article.js';
import { messageOf, PressmarkError, type PressmarkErrorOptions } from '../../errors.js';
import type { Log } from '../../log.js';
import { TimeoutError, within } from '../../time-limit.js';
import { createBlame } from '../blame.js';
import { type Decision, faultInResult, Hold, Refusal } from './filter-results.js';
import type { ActionName, Actions, FilterName, Filters } from './hook-types.js';
import type { Timer } from './timings.js';

export type FilterHandler<N extends FilterName> = (
  value: Filters[N]['value'],
  context: Filters[N]['context'],
) => FilterResult<N> | Promise<FilterResult<N>>;

/** Called with the failure of a handler that is left out. The message names the filter and the plugin. */
export type OnFilterFailure = (failure: PressmarkError) => void;

/** A further check of a handler's result. @returns the error, as the end of `returned …`; undefined if there is none. */
export type FilterCheck<N extends FilterName> = (value: Filters[N]['value']) => string | undefined;

type FilterResult<N extends FilterName> =
  | Filters[N]['value']
  | (N extends 'article.draft' ? Decision : never);

export type ActionHandler<N extends ActionName> = (payload: Actions[N]) => unknown;

/** A handler of a hook. */
export interface Registered {
  readonly handler: (...args: never[]) => unknown;
  readonly priority: number;
  readonly plugin: string;
  readonly timer: Timer;
  /** Runs the handler as code of its plugin; first-party handlers run directly. */
  readonly run: <T>(call: () => T) => T;
}

/** The outcome of a filter handler. */
type FilterCall<N extends FilterName> =
  | { readonly kind: 'value'; readonly value: Filters[N]['value'] }
  | { readonly kind: 'failed'; readonly failure: PressmarkError };

/** How long handlers may take, and how often filters of pages may fail. */
export interface CallLimits {
  /** For each filter handler. @default 5000 */
  readonly filterTimeoutMs?: number;
  /** After which time a running action handler is reported and no longer waited for. @default 30000 */
  readonly actionTimeoutMs?: number;
  /**
   * After failures on this many pages in a row, a filter handler is switched off until the next start. Otherwise each page
   * would wait for it. @default Infinity
   */
  readonly mostFailures?: number;
}

/** Creates the functions that call handlers of hooks, and keeps failures of handlers from everything else. */
export function createCalls(
  log: Log,
  { filterTimeoutMs = 5_000, actionTimeoutMs = 30_000, mostFailures = Number.POSITIVE_INFINITY }: CallLimits,
) {
  const blame = createBlame(log);
  /** The pages on which each filter handler has failed in a row. */
  const failures = new WeakMap<object, Set<unknown>>();
  /** The filters that are switched off, as the log names them. */
  const switchedOff: string[] = [];
  /** The last call of each handler that has not ended and is no longer waited for. */
  const late = new Map<Registered, Promise<unknown>>();

  /** @throws PressmarkError REFUSED_BY_PLUGIN */
  async function callFilter<N extends FilterName>(
    { handler, plugin, timer, run }: Registered,
    name: N,
    value: Filters[N]['value'],
    context: Filters[N]['context'],
    check?: FilterCheck<N>,
  ): Promise<FilterCall<N>> {
    const call = handler as FilterHandler<N>; // as `addFilter` has taken it
    const what = `filter ${name} of plugin ${plugin}`;
    const given = copyOf(value);
    const began = performance.now();
    const failed = (why: string, details: PressmarkErrorOptions = {}): FilterCall<N> => {
      timer.ended(began, true);
      noteFailure(handler, plugin, what, why, pageOf(name, context));
      return { kind: 'failed', failure: new PressmarkError('FILTER_FAILED', `${what} ${why}`, details) };
    };
    let result: FilterResult<N>;
    try {
      result = await within(
        filterTimeoutMs,
        run(async () => call(given, context)),
      );
    } catch (error) {
      if (error instanceof TimeoutError) return failed(`took longer than ${filterTimeoutMs} ms`);
      // The plugin's own message goes to the log only: it may name paths of the machine.
      const publicMessage = `${what} failed: the receiver’s log says why`;
      return failed(`failed: ${messageOf(error)}`, { cause: error, publicMessage });
    }
    const fault = faultInResult(name, result) ?? check?.(result as Filters[N]['value']);
    if (fault !== undefined) return failed(`returned ${fault}`);
    timer.ended(began, false);
    failures.delete(handler);
    if (result instanceof Refusal)
      throw new PressmarkError('REFUSED_BY_PLUGIN', `plugin ${plugin}: ${result.words}`, result);
    if (result instanceof Hold) result = { ...(value as ArticleDraft), held: result.reason };
    return { kind: 'value', value: result as Filters[N]['value'] };
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
   * @returns a promise that resolves when the handler has ended or is late, and never rejects; undefined if it has already
   *   ended.
   */
  function callAction<N extends ActionName>(
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

  return {
    callFilter,
    isSwitchedOff,
    /** Changes whenever a filter is switched off. */
    switchedOff: () => switchedOff.join(', '),
    callAction,
    /** Whether a call of a handler has exceeded its time and has not ended. */
    isLate: (entry: Registered) => late.has(entry),
  };
}

/**
 * A copy for each handler: one that fails may have changed its value in place, and the next handler gets the value as it was.
 */
function copyOf<T>(value: T, copies = new Map<unknown, unknown>()): T {
  if (typeof value !== 'object' || value === null) return value;
  if (copies.has(value)) return copies.get(value) as T;
  if (!Array.isArray(value) && ![Object.prototype, null].includes(Object.getPrototypeOf(value))) return value;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
  copies.set(value, copy);
  for (const key of Object.keys(copy)) copy[key] = copyOf(copy[key], copies);
  return copy as T;
}

/** Identifies the page in the context of a filter. A feed and the sitemap are made of all articles, so each failure counts. */
function pageOf(name: FilterName, context: unknown): unknown {
  if (name === 'feed.items' || name === 'sitemap.items') return Symbol(name);
  const { path, canonical, url }: Readonly<Record<string, unknown>> = Object(context);
  return path ?? canonical ?? url;
}

function isThenable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
