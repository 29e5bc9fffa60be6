import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { MAX_BODY_BYTES } from '../contract/limits.js';
import { PressmarkError } from '../errors.js';
import { gather } from './gather.js';

/** All bodies that are being read, together, in bytes. */
const MOST_TOGETHER = 16_000_000;

/** A body may come in this many pieces of any size, … */
const FREE_PIECES = 1_000;
/** … and in one more for each so many bytes; the segments of a slow network and the chunks of a proxy are larger. */
const BYTES_PER_PIECE = 100;

/** A request whose body has not been read. */
export interface UnreadRequest extends Readable {
  readonly headers: IncomingHttpHeaders;
}

/** Reads the raw bytes of a request's body. */
export type ReadBody = (request: UnreadRequest) => Promise<Buffer>;

/** A body of which some bytes have arrived. */
interface PartialBody {
  /** The memory that its bytes take. */
  held: number;
  /** Gives it up: its memory is free, and its reader gets the error. */
  giveUp(error: PressmarkError): void;
}

/** Whether a body comes in more pieces than any ordinary sender makes of so many bytes. */
export function isFragmented(pieces: number, bytes: number): boolean {
  return pieces > FREE_PIECES + bytes / BYTES_PER_PIECE;
}

/**
 * Makes the reader of one server's bodies: each has at most 1,000,000 bytes, and all that are being read have
 * `mostTogether` at most. Memory is taken only for bytes that have arrived. Where it runs out, the body that began to arrive first is given up: a whole delivery arrives within moments, so that senders
 * who stop halfway never keep one from being read.
 *
 * Not by raw-body: it keeps each chunk as an object of its own until the end, which for a body in chunks of one
 * byte takes 400 bytes for each, and it knows nothing of other bodies.
 *
 * The reader throws PressmarkError BODY_TOO_LARGE, BODY_FRAGMENTED, RECEIVER_BUSY (the rest of the body is still
 * unread then) or BODY_ABORTED.
 */
export function createBodyReader({ mostTogether = MOST_TOGETHER } = {}): ReadBody {
  /** The oldest first. */
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

  return (request) =>
    new Promise((resolve, reject) => {
      if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) {
        reject(tooLarge());
        return;
      }
      const gathered = gather();
      let bytes = 0;
      let pieces = 0;
      const body: PartialBody = { held: 0, giveUp: fail };
      request.on('data', onData).once('end', onEnd).once('error', onAborted).once('close', onAborted);

      function onData(piece: Buffer): void {
        bytes += piece.length;
        pieces += 1;
        if (bytes > MAX_BODY_BYTES) fail(tooLarge());
        else if (isFragmented(pieces, bytes)) fail(fragmented(pieces, bytes));
        else {
          gathered.add(piece);
          hold(body, gathered.held);
          makeRoom();
        }
      }

      function onEnd(): void {
        settle();
        resolve(gathered.whole());
      }

      /** Nothing of what Node.js says of it: its errors hold the bytes that came (`rawPacket`). */
      function onAborted(): void {
        fail(new PressmarkError('BODY_ABORTED', 'body ended before its announced length'));
      }

      function fail(error: PressmarkError): void {
        settle();
        reject(error);
      }

      function settle(): void {
        request.off('data', onData).off('end', onEnd).off('error', onAborted).off('close', onAborted);
        hold(body, 0);
      }
    });
}

function tooLarge(): PressmarkError {
  return new PressmarkError(
    'BODY_TOO_LARGE',
    `body is over ${MAX_BODY_BYTES} bytes, the most that is accepted`,
  );
}

function fragmented(pieces: number, bytes: number): PressmarkError {
  return new PressmarkError(
    'BODY_FRAGMENTED',
    `body came in ${pieces} pieces for ${bytes} bytes; send it in larger chunks`,
  );
}
