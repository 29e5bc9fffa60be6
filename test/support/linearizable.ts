/**
 * What one delivery did to one article, as its sender saw it. Times are of one clock.
 *
 * `unknown` as a result: no answer, or a 5xx; it may have taken effect at any moment after `from`, or never.
 */
export interface Operation {
  readonly article: string;
  readonly from: number;
  /** Infinity where no answer came. */
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

/** What the article is in the sequential model: not there, or at a revision. */
type State = string | undefined;

/** What the first publication's revision is called in the model; its real name is told by lookups. */
const FIRST = 'the first revision';

/**
 * Whether a history of deliveries can be put in one order that keeps every answer true and puts no operation after
 * one that began when it had ended (linearizability). Articles do not touch each other, so each is looked at alone.
 *
 * @returns the articles for which there is no such order.
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

/** Calls the revision that no update made by one name. Two such names for one article are a contradiction. */
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

/** Looks for an order by trying: each time one of those that may come next, remembering what led nowhere. */
function hasOrder(all: readonly Operation[]): boolean {
  // What may never have happened need not be placed; what nobody has an answer for and reads only, neither.
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
    // Nothing may come before an operation that had ended when it began.
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
