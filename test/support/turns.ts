/** How many tests of one process work at once; more would only wait for each other, and for the processor. */
const AT_ONCE = 4;

type Test = { teardown(dispose: () => unknown): void };

const turns = new Map<Test, Promise<void>>();
const waiting: (() => void)[] = [];
let free = AT_ONCE;

/**
 * Waits until fewer than four other tests of this process are under way; the turn ends with the test. AVA begins all
 * concurrent tests of a process at once, and files of a room share one. A test that asks again has its turn already.
 */
export function turn(t: Test): Promise<void> {
  const known = turns.get(t);
  if (known !== undefined) return known;
  let given = Promise.resolve();
  if (free > 0) free--;
  else
    given = new Promise((resolve) => {
      waiting.push(resolve);
    });
  turns.set(t, given);
  t.teardown(() => {
    turns.delete(t);
    const next = waiting.shift();
    if (next === undefined) free++;
    else next();
  });
  return given;
}
