import type { ClientRequest } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { DELIVERY_TIMEOUT_MS, MAX_BODY_BYTES } from '../../contract/limits.js';
import { messageOf } from '../../errors.js';
import { sendOnce } from '../../sender/delivery/transport.js';
import { judgeAnswer } from './judge-answer.js';
import type { Breach, JudgedRequest } from './judge-request.js';
import type { Recording } from './recording.js';
import {
  type Incoming,
  jsonAnswer,
  MOST_BYTES,
  type Passed,
  startTrafficServer,
  type TrafficOptions,
} from './server.js';
import { createStandIn } from './stand-in.js';

export interface ListenOptions extends Pick<TrafficOptions, 'host' | 'port' | 'secret' | 'service'> {
  /** The receiver to which each request is forwarded, byte for byte; without it, `listen` answers itself. */
  readonly forwardTo?: URL | undefined;
  /** The statuses of the first answers, in order; the last one is used for all others. */
  readonly statuses?: readonly number[] | undefined;
  /** The delay before each answer, in milliseconds. */
  readonly delayMs?: number | undefined;
  readonly onExchange: (exchange: Observed) => void;
}

/** A request, its answer, and the breaches of both. */
export interface Observed {
  readonly request: JudgedRequest;
  readonly status: number;
  readonly ms: number;
  readonly findings: readonly Breach[];
  readonly recording: Recording;
}

/** The largest difference between the clocks of two machines, in milliseconds. */
const CLOCKS_DIFFER_MS = 600_000;

/** Headers of one connection, which are not forwarded (RFC 9110, 7.6.1). */
const OF_THE_CONNECTION = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
];

/**
 * Acts as a receiver, or as a proxy before one: checks each request and each answer against the contract.
 *
 * @throws PressmarkError USAGE if it cannot listen there.
 */
export async function listen(options: ListenOptions): Promise<{ url: string; close(): Promise<void> }> {
  const { statuses, forwardTo, delayMs } = options;
  let count = 0;
  let standIn: ReturnType<typeof createStandIn> | undefined;

  const answerOf: TrafficOptions['answer'] = async (judged, incoming, gone) => {
    const status = statuses?.[Math.min(count++, statuses.length - 1)];
    if (status !== undefined && (status < 200 || status > 299))
      return jsonAnswer(status, { error: `pressmark listen was told to answer ${status}` });
    if (forwardTo !== undefined) return forwarded(forwardTo, incoming, gone);
    const request = judged();
    if (request.signature === 'right' && incoming.body.length > MAX_BODY_BYTES)
      return jsonAnswer(413, { error: 'the body is over 1,000,000 bytes' });
    standIn ??= createStandIn(server.origin);
    const answer = standIn(request);
    return jsonAnswer(answer.status === 200 ? (status ?? 200) : answer.status, answer.json);
  };

  const server = await startTrafficServer({
    ...options,
    future: () => Date.now() + CLOCKS_DIFFER_MS,
    answer: async (judged, incoming, gone) => {
      const answer = await answerOf(judged, incoming, gone);
      if (delayMs !== undefined) await pause(delayMs);
      return answer;
    },
    onExchange: ({ receivedAt, request, incoming: { method, path, rawHeaders, body }, answer, ms }) =>
      options.onExchange({
        request,
        status: answer.status,
        ms,
        findings: [
          ...request.findings,
          ...judgeAnswer(request, { ...answer, headers: headersOf(answer.headers), ms }),
        ],
        recording: {
          receivedAt,
          method,
          path,
          headers: [...rawHeaders],
          body: body.toString('base64'),
          answer: { ...answer, headers: [...answer.headers], body: answer.body.toString('base64'), ms },
        },
      }),
  });
  return { url: server.origin, close: server.close };
}

/** Forwards a request and its answer unchanged; without an answer, the result is 502 with the reason. */
async function forwarded(
  { href: url, origin, host }: URL,
  { method, rawHeaders, body }: Incoming,
  gone: AbortSignal,
): Promise<Passed> {
  const fail = (why: string) => jsonAnswer(502, { error: `${origin} did not answer: ${why}` });
  const length = ['Content-Length', String(body.length)];
  const headers = [...ofTheMessage(rawHeaders, ['host', 'content-length']), 'Host', host, ...length];
  // By then, the service has given up.
  const signal = AbortSignal.any([gone, AbortSignal.timeout(DELIVERY_TIMEOUT_MS * 2)]);
  const write = (outgoing: ClientRequest) => void outgoing.end(body);
  try {
    const request = { url, method, headers, signal, mostBytes: MOST_BYTES, write };
    const { status, rawHeaders: raw, body: read, incomplete } = await sendOnce(request);
    if (incomplete !== undefined) return fail(`the answer ${incomplete}`);
    const answered = [...ofTheMessage(raw, ['content-length']), 'Content-Length', String(read.length)];
    return { status, headers: answered, body: read };
  } catch (error) {
    return fail(messageOf(error));
  }
}

/** Removes the headers of the connection, and the named ones, from raw headers. */
function ofTheMessage(raw: readonly string[], without: readonly string[]): string[] {
  const dropped = [...OF_THE_CONNECTION, ...without];
  return raw.filter((_, n) => !dropped.includes((raw[n - (n % 2)] ?? '').toLowerCase()));
}

function headersOf(raw: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    raw.flatMap((name, n) => (n % 2 === 0 ? [[name.toLowerCase(), raw[n + 1] ?? ''] as const] : [])),
  );
}
