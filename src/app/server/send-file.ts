import { hash } from 'node:crypto';
import { pipeline } from 'node:stream';
import type { Context } from 'koa';
import parseRange from 'range-parser';
import { systemCode } from '../../errors.js';
import type { Log } from '../../log.js';
import type { ServedFile } from './served-file.js';

/** Files up to this size are read whole, and their ETag is made of their bytes. */
const SMALL = 1_000_000;

/** Bytes from `start` to `end`, both included. */
interface Slice {
  readonly start: number;
  readonly end: number;
}

/**
 * Answers with a file: 200, 304 where the client has these very bytes, 206 for a part, 416 for one that is not
 * there. Type and caching have been set before.
 *
 * @param file is closed in any case.
 * @param change what becomes of the bytes on their way; only for files that are read whole.
 */
export async function sendFile(
  context: Context,
  file: ServedFile,
  log: Log,
  change?: (bytes: Buffer) => Buffer,
): Promise<void> {
  let streams = false;
  try {
    const bytes = file.stat.size <= SMALL ? await file.handle.readFile() : undefined;
    const whole = bytes && change ? change(bytes) : bytes;
    const size = whole?.length ?? file.stat.size;
    context.status = 200;
    context.set(
      'ETag',
      whole === undefined ? weakTag(file) : `"${hash('sha256', whole, 'base64url').slice(0, 27)}"`,
    );
    context.set('Last-Modified', file.stat.mtime.toUTCString());
    context.set('Accept-Ranges', 'bytes');
    if (context.fresh) {
      context.status = 304;
      return;
    }
    const slice = sliceOf(context, size);
    if (slice === 'none') {
      context.status = 416;
      context.set('Content-Range', `bytes */${size}`);
      context.body = '';
      return;
    }
    if (slice !== undefined) {
      context.status = 206;
      context.set('Content-Range', `bytes ${slice.start}-${slice.end}/${size}`);
    }
    const { start, end } = slice ?? { start: 0, end: size - 1 };
    context.length = end - start + 1;
    if (context.method === 'HEAD') return;
    if (whole !== undefined) {
      context.body = whole.subarray(start, end + 1);
    } else {
      streams = true;
      stream(context, file, { start, end }, log);
    }
  } finally {
    if (!streams) await file.handle.close();
  }
}

/** Told by size and time, not by the bytes: it may not vouch for parts (RFC 9110, 8.8.1). */
function weakTag({ stat }: ServedFile): string {
  return `W/"${stat.size.toString(36)}-${Math.round(stat.mtimeMs).toString(36)}"`;
}

/** The part that was asked for; undefined for the whole, which is also the answer to several parts at once. */
function sliceOf(context: Context, size: number): Slice | 'none' | undefined {
  const asked = context.get('Range');
  if (context.method !== 'GET' || asked === '' || !isStillWanted(context)) return undefined;
  const ranges = parseRange(size, asked);
  if (ranges === -1) return 'none';
  if (ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) return undefined;
  return ranges[0];
}

/** Whether the rest of a file is of the bytes that the client has the beginning of (RFC 9110, 13.1.5). */
function isStillWanted(context: Context): boolean {
  const condition = context.get('If-Range');
  if (condition === '') return true;
  if (condition.startsWith('"')) return condition === context.response.get('ETag');
  return condition === context.response.get('Last-Modified');
}

function stream(context: Context, file: ServedFile, { start, end }: Slice, log: Log): void {
  context.respond = false;
  const source = file.handle.createReadStream({ start, end });
  // Somebody has cut the file off meanwhile: only an end of the connection tells the client that bytes are missing.
  source.once('end', () => {
    if (source.bytesRead < end - start + 1) context.res.destroy();
  });
  pipeline(source, context.res, (error) => {
    if (error && !isClientGone(error))
      log.error({ err: error, path: context.path }, 'a file was not sent whole');
  });
}

/** Whether the other side ended the connection, as a browser does whose reader has gone on to another page. */
export function isClientGone(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'].includes(systemCode(error) ?? '');
}
