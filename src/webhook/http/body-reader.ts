import type { IncomingHttpHeaders } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import readRawBody from 'raw-body';
import { MAX_BODY_BYTES } from '../../contract/limits.js';
import { PressmarkError } from '../../errors.js';

/** The memory for all bodies that are being read, in bytes. */
const MOST_TOGETHER = 16_000_000;

/** The size of the blocks into which smaller chunks are joined, in bytes. */
const BLOCK_BYTES = 4_096;

/** A request whose body has not been read. */
export interface UnreadRequest extends Readable {
  readonly headers: IncomingHttpHeaders;
}

/** Reads the raw bytes of a request's body. */
export type ReadBody = (request: UnreadRequest) => Promise<Buffer>;

/** A partly received body. */
interface PartialBody {
  /** The memory that it uses, in bytes. */
  held: number;
  /** Drops the body: frees its memory and rejects its reader. */
  giveUp(error: PressmarkError): void;
}

/**
 * Creates a reader of bodies: each has at most `maxBytes`, and all together have at most `mostTogether`. Memory is used only
 * for bytes that have arrived. If it runs out, the oldest body is dropped: a complete delivery arrives within moments, so
 * senders who stop halfway never block one.
 *
 * The reader throws PressmarkError BODY_TOO_LARGE, RECEIVER_BUSY (then the rest of the body is still unread) or BODY_ABORTED.
 */
export function createBodyReader({ mostTogether = MOST_TOGETHER, maxBytes = MAX_BODY_BYTES } = {}): ReadBody {
  /** Oldest first. */
  const partial = new Set<PartialBody>();
  let heldTogether = 0;

  function hold(body: PartialBody, bytes: number): void {
    heldTogether += bytes - body.held;
    body.held = bytes;
    if (bytes === 0) partial.delete(body);
    else partial.add(body);
  }

  function makeRoom(): void {
    for (const oldest of partial) {
      if (heldTogether <= mostTogether) return;
      oldest.giveUp(
        new PressmarkError('RECEIVER_BUSY', 'too many bodies arrive at once; send this one again later'),
      );
    }
  }

  return async (request) => {
    const joined = joinChunks((bytes) => {
      hold(body, bytes);
      makeRoom();
    });
    const body: PartialBody = {
      held: 0,
      giveUp: (error) => {
        hold(body, 0);
        joined.destroy(error);
      },
    };
    const onClose = () => {
      if (!request.readableEnded) joined.destroy(aborted());
    };
    joined.on('error', () => undefined); // raw-body no longer listens when it has failed
    request.once('error', onClose).once('close', onClose);
    try {
      const whole = readRawBody(joined, {
        length: request.headers['content-length'] ?? null,
        limit: maxBytes,
      });
      request.pipe(joined);
      return await whole;
    } catch (error) {
      throw refusalOf(error, maxBytes);
    } finally {
      request.off('error', onClose).off('close', onClose).unpipe(joined);
      hold(body, 0);
      joined.destroy();
    }
  };
}

function refusalOf(error: unknown, maxBytes: number): unknown {
  if (error instanceof PressmarkError) return error;
  const type = error instanceof Error && 'type' in error ? error.type : undefined;
  if (type === 'entity.too.large')
    return new PressmarkError('BODY_TOO_LARGE', `body is over ${maxBytes} bytes, the most that is accepted`);
  return type === 'request.size.invalid' ? aborted() : error;
}

/** Without the error of Node.js as cause, which holds the received bytes (`rawPacket`). */
function aborted(): PressmarkError {
  return new PressmarkError('BODY_ABORTED', 'body ended before its announced length');
}

/**
 * A transform that joins small chunks: each buffer has an overhead of hundreds of bytes, so a body in chunks of one byte would
 * use hundreds of times its size.
 *
 * @param onHeld called with the memory of all chunks so far: at most twice their bytes, and one block.
 */
function joinChunks(onHeld: (bytes: number) => void): Transform {
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
