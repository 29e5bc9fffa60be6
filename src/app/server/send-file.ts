import { hash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Context } from 'koa';
import parseRange from 'range-parser';
import { systemCode } from '../../errors.js';
import type { Log } from '../../log.js';
import { inTurn, type ServedFile } from './served-file.js';

/** How much of a file is read at once, in bytes; the next part is read when the client has taken this one. */
const CHUNK = 16_384;

const CLIENT_GONE = ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_HTTP_REQUEST_TIMEOUT'];

/** The bytes of a file from `start` up to, but not including, `end`. */
interface Slice {
  readonly start: number;
  readonly end: number;
}

export interface SendFileOptions {
  readonly log: Log;
  /** 200, or the status of an error page, which has no ranges and is not cached. */
  readonly status?: 200 | 404 | 410;
  /** HTML to insert before the end of a page's body. */
  readonly insert?: string | undefined;
}

/**
 * Answers with a file: 200, 304 if the client has the same bytes, 206 for a range, 416 for an invalid range. The caller sets
 * type and caching. Only a small part of the file is in memory at a time.
 *
 * @param file always closed.
 */
export async function sendFile(
  context: Context,
  { handle, stat }: ServedFile,
  { log, status = 200, insert }: SendFileOptions,
): Promise<void> {
  try {
    context.status = status;
    if (status === 200) {
      context.set('ETag', tagOf(stat, insert));
      context.set('Last-Modified', stat.mtime.toUTCString());
      if (context.fresh) {
        context.status = 304;
        return;
      }
    }
    if (insert === undefined) await sendBytes(context, handle, Number(stat.size), log);
    else context.body = withInserted(await inTurn(() => handle.readFile('utf8')), insert);
  } finally {
    await handle.close();
  }
}

/** An ETag that changes with the bytes. Unlike the modification time, the status-change time cannot be set back. */
function tagOf({ size, mtimeNs, ctimeNs, ino }: BigIntStats, insert = ''): string {
  const identity = [size, mtimeNs, ctimeNs, ino, insert].join(' ');
  return `"${hash('sha256', identity, 'base64url').slice(0, 27)}"`;
}

/** Inserts a text before the end of a page's body, or at the end of the page. */
function withInserted(page: string, insert: string): string {
  const end = page.lastIndexOf('</body>');
  const at = end === -1 ? page.length : end;
  return page.slice(0, at) + insert + page.slice(at);
}

async function sendBytes(context: Context, handle: FileHandle, size: number, log: Log): Promise<void> {
  const slice = context.status === 200 ? sliceOf(context, size) : undefined;
  if (context.status === 200) context.set('Accept-Ranges', 'bytes');
  if (slice === 'none') {
    context.status = 416;
    context.set('Content-Range', `bytes */${size}`);
    context.body = '';
    return;
  }
  const { start, end } = slice ?? { start: 0, end: size };
  if (slice !== undefined) {
    context.status = 206;
    context.set('Content-Range', `bytes ${start}-${end - 1}/${size}`);
  }
  context.length = end - start;
  if (context.method === 'HEAD') return;
  context.respond = false;
  try {
    await pipeline(chunksOf(handle, { start, end }), context.res);
  } catch (error) {
    // The connection is closed, which tells the client that bytes are missing.
    if (!isClientGone(error)) log.error({ err: error, path: context.path }, 'a file was sent only in part');
  }
}

/** The requested range; undefined for the whole file, which also answers a request for several ranges. */
function sliceOf(context: Context, size: number): Slice | 'none' | undefined {
  const asked = context.get('Range');
  if (context.method !== 'GET' || asked === '' || !isStillWanted(context)) return undefined;
  const ranges = parseRange(size, asked);
  if (ranges === -1) return 'none';
  if (ranges === -2 || ranges.type !== 'bytes') return undefined;
  const [range, ...others] = ranges;
  return range === undefined || others.length > 0 ? undefined : { start: range.start, end: range.end + 1 };
}

/** Whether the file is still the one that the client has a part of (RFC 9110, 13.1.5). */
function isStillWanted(context: Context): boolean {
  const condition = context.get('If-Range');
  if (condition === '') return true;
  if (condition.startsWith('"')) return condition === context.response.get('ETag');
  return condition === context.response.get('Last-Modified');
}

async function* chunksOf(handle: FileHandle, { start, end }: Slice): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK, end - at));
    const { bytesRead } = await inTurn(() => handle.read(chunk, 0, chunk.length, at));
    if (bytesRead === 0) throw new Error('the file has been cut off meanwhile');
    yield chunk.subarray(0, bytesRead);
    at += bytesRead;
  }
}

/**
 * Whether the client ended the connection, for instance because its reader went to another page, or Node.js did because the
 * client sent invalid HTTP (`HPE_…`) or was too slow.
 */
export function isClientGone(error: unknown): boolean {
  const code = systemCode(error) ?? '';
  return CLIENT_GONE.includes(code) || code.startsWith('HPE_');
}
