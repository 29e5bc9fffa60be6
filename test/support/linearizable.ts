/**
 * One delivery as its sender saw it. All times are from the same clock.
 *
 * The result `unknown` means no answer or a 5xx: the delivery may have taken effect at any time after `from`, or never.
 */
export interface Operation {
  readonly article: string;
  readonly from: number;
  /** Infinity if the result is `unknown`. */
  readonly to: number;
  readonly did:
    | { readonly event: 'publish'; readonly result: 'ok' | 'unknown' }
    | {
        readonly event: 'update';
        readonly base: string;
        readonly revision: string;
        readonly result: 'ok' | 'conflict' | 'missing' | 'unknown';
      }
    | { readonly event: 'lookup'; readonly result: { readonly revision: string } | 'missing' | 'unknown' };
}

/** The state of an article in the sequential model: its revision, or undefined if it does not exist. */
type State = string | undefined;

/** The name of the publication's revision in the model; only lookups show the real one. */
const FIRST = 'the first revision';

/**
 * Checks linearizability: for each article there must be an order of the deliveries that explains every answer and in
 * which a delivery that had ended comes before all that began later. Articles are independent, so each is checked on
 * its own.
 *
 * @returns the articles without such an order.
 */
export function notLinearizable(history: readonly Operation[]): string[] {
  const articles = new Map<string, Operation[]>();
  for (const operation of history) {
    const operations = articles.get(operation.article) ?? [];
    operations.push(operation);
    articles.set(operation.article, operations);
  }
  return [...articles].filter(([, operations]) => !hasOrder(named(operations))).map(([article]) => article);
}

/** Renames the revision that no update made to `FIRST`. If there are two, none is renamed, so that no order exists. */
function named(operations: readonly Operation[]): Operation[] {
  const made = new Set(operations.flatMap(({ did }) => (did.event === 'update' ? [did.revision] : [])));
  const firsts = new Set(
    operations.flatMap(({ did }) =>
      did.event === 'lookup' && typeof did.result === 'object' && !made.has(did.result.revision)
        ? [did.result.revision]
        : [],
    ),
  );
  const [first] = firsts;
  const rename = (revision: string) => (firsts.size === 1 && revision === first ? FIRST : revision);
  return operations.map((operation) => {
    const { did } = operation;
    if (did.event === 'update') return { ...operation, did: { ...did, base: rename(did.base) } };
    if (did.event !== 'lookup' || typeof did.result !== 'object') return operation;
    return { ...operation, did: { ...did, result: { revision: rename(did.result.revision) } } };
  });
}

/** Searches for an order by backtracking, and remembers the dead ends. */
function hasOrder(all: readonly Operation[]): boolean {
  // A lookup without an answer says nothing. An unknown publication or update stays in the list, but need not be
  // placed.
  const operations = all
    .filter(({ did }) => !(did.event === 'lookup' && did.result === 'unknown'))
    .sort((a, b) => a.from - b.from);
  const dead = new Set<string>();
  const placed = new Array<boolean>(operations.length).fill(false);

  function search(state: State): boolean {
    const open = operations.flatMap((operation, index) => (placed[index] ? [] : [{ operation, index }]));
    const known = open.filter(({ operation }) => operation.did.result !== 'unknown');
    if (known.length === 0) return true;
    const key = `${state}|${open.map(({ index }) => index).join()}`;
    if (dead.has(key)) return false;
    // An operation that began after another one had ended must not come before it.
    const firstEnd = Math.min(...known.map(({ operation }) => operation.to));
    for (const { operation, index } of open) {
      if (operation.from > firstEnd) break;
      const next = after(operation.did, state);
      if (next === 'impossible') continue;
      placed[index] = true;
      if (search(next.state)) return true;
      placed[index] = false;
    }
    dead.add(key);
    return false;
  }

  return search(undefined);
}

/** The sequential model (contract: Endpoints). */
function after(did: Operation['did'], state: State): { state: State } | 'impossible' {
  if (did.event === 'publish') return { state: state ?? FIRST };
  if (did.event === 'lookup') {
    const seen = typeof did.result === 'object' ? did.result.revision : undefined;
    return seen === state ? { state } : 'impossible';
  }
  const { base, revision, result } = did;
  const would = state === undefined ? 'missing' : state === revision || state === base ? 'ok' : 'conflict';
  if (result !== 'unknown' && result !== would) return 'impossible';
  return { state: would === 'ok' ? revision : state };
}
