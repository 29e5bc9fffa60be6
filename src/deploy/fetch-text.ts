import { messageOf, PressmarkError } from '../errors.js';

/** A request to one of the owner's URLs. */
export interface TextRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The highest size of the answer, decompressed, in bytes. */
  readonly maxBytes: number;
  /** How long the whole answer may take, in milliseconds. */
  readonly timeoutMs: number;
}

/** The answer to a request, read to its end. */
export interface TextAnswer {
  readonly status: number;
  /** The header `X-Robots-Tag`; empty if there is none. */
  readonly robots: string;
  readonly text: string;
}

/**
 * Sends one request, without following redirects.
 *
 * @throws PressmarkError UNREACHABLE; its message leaves out the URL's path and query, which may be secret. The signal's
 *   reason.
 */
export async function fetchText(url: URL, request: TextRequest, stop: AbortSignal): Promise<TextAnswer> {
  const { maxBytes, timeoutMs, headers, ...init } = request;
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      ...init,
      headers: { 'User-Agent': 'Pressmark', ...headers },
      redirect: 'manual',
      signal: AbortSignal.any([timeout, stop]),
    });
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > maxBytes)
        throw unreachable(`the answer of ${url.hostname} is larger than ${maxBytes / 1_000_000} MB`);
      chunks.push(chunk);
    }
    const robots = response.headers.get('X-Robots-Tag') ?? '';
    return { status: response.status, robots, text: Buffer.concat(chunks).toString('utf8') };
  } catch (error) {
    stop.throwIfAborted();
    if (error instanceof PressmarkError) throw error;
    if (timeout.aborted)
      throw unreachable(`${url.hostname} did not answer within ${timeoutMs / 1_000} s`, error);
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    throw unreachable(`${url.hostname} could not be reached: ${messageOf(cause)}`, cause);
  }
}

function unreachable(message: string, cause?: unknown): PressmarkError {
  return new PressmarkError('UNREACHABLE', message, { cause });
}
