import { Transform } from 'node:stream';

/** Smaller chunks are copied together into blocks of this size, in bytes. */
export const BLOCK_BYTES = 4_096;

/**
 * A stage that joins small chunks: each buffer takes hundreds of bytes besides its own, so that a body in chunks of one
 * byte would take hundreds of times its size.
 *
 * @param onHeld gets the memory that all chunks so far take: at most twice their bytes, and one block.
 */
export function joinChunks(onHeld: (bytes: number) => void): Transform {
  let held = 0;
  let block: Buffer | undefined;
  let filled = 0;

  function pushBlock(): void {
    if (block !== undefined) stage.push(block.subarray(0, filled));
    block = undefined;
    filled = 0;
  }

  const stage = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (filled + chunk.length > BLOCK_BYTES) pushBlock();
      if (chunk.length >= BLOCK_BYTES) {
        held += chunk.length;
        stage.push(chunk);
      } else {
        if (block === undefined) held += BLOCK_BYTES;
        block ??= Buffer.allocUnsafeSlow(BLOCK_BYTES);
        filled += chunk.copy(block, filled);
      }
      onHeld(held);
      done();
    },
    flush(done) {
      pushBlock();
      done();
    },
  });
  return stage;
}
