/** Memory that other threads see too, lent out for a while. */
export interface Lease {
  /** At least so many bytes, with whatever was in them before. To be called once. */
  take(size: number): Buffer;
  /** Gives back what was taken, if anything; nobody may use it any more. */
  giveBack(): void;
}

/** What most articles need. */
const PIECE_BYTES = 128 * 1024;

/**
 * Memory in pieces that are lent again and again: a new one for each file would take longer to get, to hand over and to
 * collect than to fill. There are never more of them than files were written at one time.
 */
export function createSharedMemory(): { lease(): Lease } {
  const free: Buffer[] = [];

  function lease(): Lease {
    let taken: Buffer | undefined;

    function take(size: number): Buffer {
      const kept = size <= PIECE_BYTES ? free.pop() : undefined;
      taken = kept ?? Buffer.from(new SharedArrayBuffer(Math.max(size, PIECE_BYTES)));
      return taken;
    }

    function giveBack(): void {
      if (taken?.length === PIECE_BYTES) free.push(taken);
      taken = undefined;
    }

    return { take, giveBack };
  }

  return { lease };
}
