/** Where the test support registers what has to be ended, as AVA's `t` in the tests. */
export interface Teardown {
  teardown(dispose: () => unknown): void;
}

/** Runs work that starts things, and ends them when it is over, the last one first, however it went. */
export async function withTeardown<T>(work: (t: Teardown) => Promise<T>): Promise<T> {
  const disposals: (() => unknown)[] = [];
  try {
    return await work({ teardown: (dispose) => disposals.push(dispose) });
  } finally {
    for (const dispose of disposals.reverse()) await dispose();
  }
}
