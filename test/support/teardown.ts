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
    for (const dispose of disposals.reverse()) await dispose();
  }
}
