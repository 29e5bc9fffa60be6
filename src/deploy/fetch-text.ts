import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { messageOf, PressmarkError } from '../errors.js';

/** A request to a URL of the owner's. */
export interface TextRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The most bytes of the answer, decompressed. */
  readonly maxBytes: number;
  /** How long the whole answer may take, in milliseconds. */
  readonly timeoutMs: number;
}

/** The answer to a request, read to its end. */
export interface TextAnswer {
  readonly status: number;
  /** The headers `X-Robots-Tag`, each by itself: a crawler's name in one does not count in another. */
  readonly robots: readonly string[];
  readonly text: string;
}

/**
 * Sends one request and follows no redirect. `fetch` would join headers of one name.
 *
 * @throws PressmarkError UNREACHABLE; the message names neither the URL's path nor its query, which may be secret. The reason
 *   of the signal.
 */
export async function fetchText(url: URL, request: TextRequest, stop: AbortSignal): Promise<TextAnswer> {
  const { maxBytes, timeoutMs } = request;
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await responseTo(url, request, AbortSignal.any([timeout, stop]));
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of decompressed(response)) {
      size += chunk.length;
      if (size > maxBytes)
        throw unreachable(`the answer of ${url.hostname} is larger than ${maxBytes / 1_000_000} MB`);
      chunks.push(chunk);
    }
    const robots = response.headersDistinct['x-robots-tag'] ?? [];
    return { status: response.statusCode ?? 0, robots, text: Buffer.concat(chunks).toString('utf8') };
  } catch (error) {
    stop.throwIfAborted();
    if (error instanceof PressmarkError) throw error;
    if (timeout.aborted)
      throw unreachable(`${url.hostname} did not answer within ${timeoutMs / 1_000} s`, error);
    throw unreachable(`${url.hostname} could not be reached: ${messageOf(error)}`, error);
  }
}

async function responseTo(
  url: URL,
  { method, headers, body }: TextRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { request } = url.protocol === 'https:' ? https : http;
  const sent = request(url, {
    method,
    headers: { 'User-Agent': 'Pressmark', 'Accept-Encoding': 'gzip', ...headers },
    signal,
  });
  sent.on('error', () => undefined); // once the answer has begun, its reader sees the error
  sent.end(body);
  const [response]: IncomingMessage[] = await once(sent, 'response');
  if (response === undefined) throw new Error('the server sent no response');
  return response;
}

function decompressed(response: IncomingMessage): Readable {
  if (response.headers['content-encoding'] !== 'gzip') return response;
  // What fails ends the reading of what it returns.
  return pipeline(response, createGunzip(), () => undefined);
}

function unreachable(message: string, cause?: unknown): PressmarkError {
  return new PressmarkError('UNREACHABLE', message, { cause });
}
