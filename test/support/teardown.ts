import type { TestFn } from 'ava';

/** The part of AVA's `t` that the test support needs: registers functions that clean up. */
export interface Teardown {
  teardown(dispose: () => unknown): void;
}

/** Runs `work`, then the registered functions in reverse order, also after a failure. */
export async function withTeardown<T>(work: (t: Teardown) => Promise<T>): Promise<T> {
  const disposals: (() => unknown)[] = [];
  try {
    return await work({ teardown: (dispose) => disposals.push(dispose) });
  } finally {
    await disposeAll(disposals);
  }
}

/** Runs all functions, the last one first, also after one that throws: else a receiver would outlive the tests. */
async function disposeAll(disposals: readonly (() => unknown)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const dispose of disposals.toReversed())
    try {
      await dispose();
    } catch (error) {
      errors.push(error);
    }
  if (errors.length > 0) throw errors[0];
}

/** Runs the registered functions, in reverse order, after all tests of a file. */
export function afterAll(test: TestFn): Teardown {
  const disposals: (() => unknown)[] = [];
  test.after.always(() => disposeAll(disposals));
  return { teardown: (dispose) => disposals.push(dispose) };
}

/** Makes one thing for all tests of a file, before the first of them. @returns a function that returns it. */
export function shared<T>(test: TestFn, make: (t: Teardown) => Promise<T>, t = afterAll(test)): () => T {
  let made: { readonly one: T } | undefined;
  test.serial.before(async () => {
    made = { one: await make(t) };
  });
  return () => {
    if (made === undefined) throw new Error('it has not been made: a test calls this, or a later hook');
    return made.one;
  };
}
