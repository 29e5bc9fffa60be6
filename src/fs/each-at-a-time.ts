/**
 * Calls `work` for each item, for at most `atATime` items at once. After an error, no further item is started.
 *
 * @throws the first error, after all started calls have ended.
 */
export async function eachAtATime<T>(
  atATime: number,
  items: Iterable<T>,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]();
  let failure: { readonly error: unknown } | undefined;
  const worker = async () => {
    for (let item = rest.next(); item.done !== true && failure === undefined; item = rest.next()) {
      try {
        await work(item.value);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: atATime }, worker));
  if (failure !== undefined) throw failure.error;
}
