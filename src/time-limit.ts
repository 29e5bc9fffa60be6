/** What `within` throws. */
export class TimeoutError extends Error {}

/**
 * Resolves with what `work` does, which goes on where the time is up.
 *
 * @param onTimeout returns another result, or throws another error, where the time is up.
 * @throws TimeoutError where the time is up and there is no `onTimeout`; what `work` throws.
 */
export async function within<T, L = never>(
  ms: number,
  work: Promise<T>,
  onTimeout: () => L = throwTimeout,
): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, ms));
  });
  try {
    return await Promise.race([work, timeUp.then(onTimeout)]);
  } finally {
    clearTimeout(timer);
  }
}

function throwTimeout(): never {
  throw new TimeoutError();
}
