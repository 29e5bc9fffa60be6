import { hash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Context } from 'koa';
import parseRange from 'range-parser';
import { systemCode } from '../../errors.js';
import type { Log } from '../../log.js';
import { inTurn, type ServedFile } from './served-file.js';

/** So much of a file is read at once, in bytes; the next part is read when the client has taken it. */
const CHUNK = 16_384;

const CLIENT_GONE = ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_HTTP_REQUEST_TIMEOUT'];

/** Bytes of a file from `start` to before `end`. */
interface Slice {
  readonly start: number;
  readonly end: number;
}

export interface SendFileOptions {
  readonly log: Log;
  /** 200, or the status of a page that stands for another, which has no parts and is asked for each time. */
  readonly status?: 200 | 404 | 410;
  /** What is put into an HTML page on its way, before the end of its body. */
  readonly insert?: string | undefined;
}

/**
 * Answers with a file: 200, 304 where the client has these very bytes, 206 for a part, 416 for one that is not
 * there. Type and caching have been set before. However large the file and slow the client, little of it is in memory.
 *
 * @param file is closed in any case.
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

/** Another one whenever the bytes may be others: the status-change time cannot be set back as the other can. */
function tagOf({ size, mtimeNs, ctimeNs, ino }: BigIntStats, insert = ''): string {
  const identity = [size, mtimeNs, ctimeNs, ino, insert].join(' ');
  return `"${hash('sha256', identity, 'base64url').slice(0, 27)}"`;
}

/** A page with something before the end of its body, or at its own end if it has none. */
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
    // The connection is closed: only its end shows the client that bytes are missing.
    if (!isClientGone(error)) log.error({ err: error, path: context.path }, 'a file was not sent whole');
  }
}

/** The part that was asked for; undefined for the whole, which is also the answer to several parts at once. */
function sliceOf(context: Context, size: number): Slice | 'none' | undefined {
  const asked = context.get('Range');
  if (context.method !== 'GET' || asked === '' || !isStillWanted(context)) return undefined;
  const ranges = parseRange(size, asked);
  if (ranges === -1) return 'none';
  if (ranges === -2 || ranges.type !== 'bytes') return undefined;
  const [range, ...others] = ranges;
  return range === undefined || others.length > 0 ? undefined : { start: range.start, end: range.end + 1 };
}

/** Whether the rest of a file is of the bytes that the client has the beginning of (RFC 9110, 13.1.5). */
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
 * Whether the other side ended the connection, as a browser does whose reader has gone on to another page, or
 * Node.js did, as the other side sent what is not HTTP (`HPE_…`) or took too long.
 */
export function isClientGone(error: unknown): boolean {
  const code = systemCode(error) ?? '';
  return CLIENT_GONE.includes(code) || code.startsWith('HPE_');
}
