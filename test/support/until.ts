/** Longer than anything takes on a busy machine; a test that waits this long has failed. */
const PATIENCE_MS = 60_000;

/** Waits until a condition holds. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`still not so after ${PATIENCE_MS} ms: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
