/** The contents of tree objects that were read or made lately, by their names; most of them are needed again. */
export interface TreeCache {
  get(id: string): Buffer | undefined;
  set(id: string, content: Buffer): void;
}

/** How many bytes of trees are kept. */
const MAX_BYTES = 16_000_000;

/** A cache that forgets the oldest first. */
export function createTreeCache(): TreeCache {
  const contents = new Map<string, Buffer>();
  let bytes = 0;

  function set(id: string, content: Buffer): void {
    bytes += content.length - (contents.get(id)?.length ?? 0);
    contents.delete(id);
    contents.set(id, content);
    for (const [oldest, { length }] of contents) {
      if (bytes <= MAX_BYTES || oldest === id) break;
      contents.delete(oldest);
      bytes -= length;
    }
  }

  return { get: (id) => contents.get(id), set };
}
