/**
 * Returns a function that does work for all who call it: one run at a time. Who calls during a run shares the next one, as
 * this one may have begun too early for them.
 */
export function coalesced(work: () => Promise<void>): () => Promise<void> {
  let running = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    next ??= running
      .catch(() => undefined) // reported to those who asked for it
      .then(() => {
        next = undefined;
        running = work();
        return running;
      });
    return next;
  };
}
