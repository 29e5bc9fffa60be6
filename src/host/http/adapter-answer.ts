import { validateHeaderName, validateHeaderValue } from 'node:http';
import { messageOf, quote } from '../../errors.js';
import { complaintsOf } from '../invalid.js';

/** An answer that a plugin makes itself; see `ReceiverHost.answer`. */
export class AdapterAnswer {
  constructor(
    readonly status: number,
    /** JSON, or nothing. */
    readonly body: string,
    readonly headers: Readonly<Record<string, string>>,
  ) {}
}

/** Headers that are derived from the body. */
const OWN_HEADERS: ReadonlySet<string> = new Set(['connection', 'content-length', 'transfer-encoding']);

/**
 * Creates the answer of a plugin's adapter.
 *
 * @param body sent as JSON; undefined for none.
 * @throws PressmarkError PLUGIN_INVALID if it cannot be sent, naming the plugin.
 */
export function answerOf(
  plugin: string,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): AdapterAnswer {
  const complain = complaintsOf(plugin, 'host.answer has ');
  if (!Number.isInteger(status) || status < 200 || status > 599)
    throw complain(`the status ${quote(status)}; a status is an integer from 200 to 599`);
  for (const [name, value] of Object.entries(headers)) {
    if (OWN_HEADERS.has(name.toLowerCase()))
      throw complain(`the header ${name}, which Pressmark sets itself; leave it out`);
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch {
      throw complain(`the header ${quote(name)}, whose name or value HTTP does not allow`);
    }
  }
  try {
    return new AdapterAnswer(status, JSON.stringify(body) ?? '', { ...headers });
  } catch (error) {
    throw complain(`a body that is not JSON: ${messageOf(error)}`);
  }
}

/**
 * The reason why a request is refused. A function of an adapter may throw such an error with `expose: true`, as `http-errors`
 * does.
 */
export interface AdapterError {
  /** From 400 to 599. */
  readonly status: number;
  /** The error's name: from the error table, unless a plugin has thrown the error. */
  readonly code: string;
  readonly message: string;
}

/** The error that a plugin has thrown for the sender; undefined for any other error. */
export function exposedError(error: unknown): AdapterError | undefined {
  if (!(error instanceof Error) || !('expose' in error) || error.expose !== true) return undefined;
  const { status, code, message }: Error & { status?: unknown; code?: unknown } = error;
  if (!Number.isInteger(status) || typeof status !== 'number' || status < 400 || status > 599)
    return undefined;
  return { status, code: typeof code === 'string' ? code : 'REFUSED', message };
}

/** Creates the error by which an adapter refuses a request. @param status 400 to 599. @param code its name, for `errorBody`. */
export function refusal(status: number, code: string, message: string): Error {
  return Object.assign(new Error(message), { status, code, expose: true });
}
