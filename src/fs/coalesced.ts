/**
 * Returns a function that runs `work`, one run at a time. All calls during a run share the next one, as the current run may
 * have begun too early for them.
 */
export function coalesced(work: () => Promise<void>): () => Promise<void> {
  let running = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    next ??= running
      .catch(() => undefined) // the callers of that run get the error
      .then(() => {
        next = undefined;
        running = work();
        return running;
      });
    return next;
  };
}
