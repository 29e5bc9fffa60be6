import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Context } from 'koa';
import parseRange from 'range-parser';
import { systemCode } from '../../errors.js';
import type { Log } from '../../log.js';
import { inTurn } from './file-turns.js';
import type { ServedFile } from './served-file.js';

/** So much of a file is in memory for one client; the next part is read when the client has taken it. */
const CHUNK = 16_384;
/** Where the end of a page's body is looked for: that many bytes at its end. */
const TAIL = 4_096;

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
  readonly insert?: Buffer | undefined;
}

/**
 * Answers with a file: 200, 304 where the client has these very bytes, 206 for a part, 416 for one that is not
 * there. Type and caching have been set before. However large the file and slow the client, one chunk is in memory.
 *
 * @param file is closed in any case.
 */
export async function sendFile(
  context: Context,
  file: ServedFile,
  { log, status = 200, insert }: SendFileOptions,
): Promise<void> {
  try {
    const size = Number(file.stat.size);
    context.status = status;
    if (status === 200) {
      context.set('ETag', tagOf(file, insert));
      context.set('Last-Modified', file.stat.mtime.toUTCString());
      if (insert === undefined) context.set('Accept-Ranges', 'bytes');
      if (context.fresh) {
        context.status = 304;
        return;
      }
    }
    const slice = status === 200 && insert === undefined ? sliceOf(context, size) : undefined;
    if (slice === 'none') {
      context.status = 416;
      context.set('Content-Range', `bytes */${size}`);
      context.body = '';
      return;
    }
    if (slice !== undefined) {
      context.status = 206;
      context.set('Content-Range', `bytes ${slice.start}-${slice.end - 1}/${size}`);
    }
    const parts = insert === undefined ? [slice ?? { start: 0, end: size }] : await around(insert, file);
    context.length = parts.reduce(
      (sum, part) => sum + (Buffer.isBuffer(part) ? part.length : part.end - part.start),
      0,
    );
    if (context.method === 'HEAD') return;
    context.respond = false;
    await send(context, file, parts, log);
  } finally {
    await file.handle.close();
  }
}

/** Another one whenever the bytes may be others: the status-change time cannot be set back as the other can. */
function tagOf({ stat }: ServedFile, insert: Buffer | undefined): string {
  const identity = [stat.size, stat.mtimeNs, stat.ctimeNs, stat.ino].join(' ');
  return `"${hash('sha256', `${identity} ${insert ?? ''}`, 'base64url').slice(0, 27)}"`;
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

/** A page with something before the end of its body, or at its own end if it has none. */
async function around(insert: Buffer, { handle, stat }: ServedFile): Promise<(Slice | Buffer)[]> {
  const end = Number(stat.size);
  const start = Math.max(0, end - TAIL);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(end - start), 0, end - start, start);
  const found = buffer.subarray(0, bytesRead).lastIndexOf('</body>');
  const at = found === -1 ? end : start + found;
  return [{ start: 0, end: at }, insert, { start: at, end }];
}

async function send(
  { res: response, path }: Context,
  file: ServedFile,
  parts: readonly (Slice | Buffer)[],
  log: Log,
): Promise<void> {
  try {
    for await (const chunk of chunksOf(file, parts)) {
      if (response.destroyed) return;
      await written(response, chunk);
    }
    response.end();
  } catch (error) {
    log.error({ err: error, path }, 'a file was not sent whole');
    response.destroy(); // only the end of the connection shows the client that bytes are missing
  }
}

/** Each chunk of the file is in the same memory, so it must be out before the next one is asked for. */
async function* chunksOf({ handle }: ServedFile, parts: readonly (Slice | Buffer)[]): AsyncGenerator<Buffer> {
  const lengths = parts.map((part) => (Buffer.isBuffer(part) ? 0 : part.end - part.start));
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK, Math.max(...lengths)));
  for (const part of parts) {
    if (Buffer.isBuffer(part)) {
      yield part;
      continue;
    }
    for (let at = part.start; at < part.end; ) {
      const length = Math.min(buffer.length, part.end - at);
      const { bytesRead } = await inTurn(() => handle.read(buffer, 0, length, at));
      if (bytesRead === 0) throw new Error('the file has been cut off meanwhile');
      yield buffer.subarray(0, bytesRead);
      at += bytesRead;
    }
  }
}

/** Resolves when the system has taken the bytes, or the client is gone. */
function written(response: ServerResponse, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('close', done);
      resolve();
    };
    response.on('close', done);
    response.write(bytes, done);
  });
}

/**
 * Whether the other side ended the connection, as a browser does whose reader has gone on to another page, or
 * Node.js did, as the other side sent what is not HTTP (`HPE_…`) or took too long.
 */
export function isClientGone(error: unknown): boolean {
  const code = systemCode(error) ?? '';
  return CLIENT_GONE.includes(code) || code.startsWith('HPE_');
}
