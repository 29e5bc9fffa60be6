/** So many paths are remembered: those that have just been committed count. */
const MOST = 10_000;

/** The blob that this process has committed last at each path; old ones are forgotten. */
export function createLastCommitted(): Pick<Map<string, string>, 'get' | 'set'> {
  const blobs = new Map<string, string>();
  return {
    get: (path) => blobs.get(path),
    set: (path, blob) => {
      blobs.delete(path);
      const [oldest] = blobs.keys();
      if (blobs.size >= MOST && oldest !== undefined) blobs.delete(oldest);
      return blobs.set(path, blob);
    },
  };
}
