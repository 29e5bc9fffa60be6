/** Thrown by `within`. */
export class TimeoutError extends Error {}

/**
 * Resolves with the result of `work`, within a time limit. After the limit, `work` goes on in the background.
 *
 * @param onTimeout returns another result, or throws another error, after the limit.
 * @throws TimeoutError after the limit without `onTimeout`; errors of `work`.
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
