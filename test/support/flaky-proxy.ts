import { hash } from 'node:crypto';
import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { type Endpoint, type Got, startEndpoint } from './endpoint.js';
import { createRandom, SEED } from './random.js';

/** A proxy in front of a receiver that lets some requests fail. */
export interface FlakyProxy extends Endpoint {
  /** Where requests are sent on to: a receiver's origin. */
  target: string;
  /** The share of requests that fail. */
  failing: number;
  /** By article id, the different bodies that came. */
  readonly bodies: ReadonlyMap<string, ReadonlySet<string>>;
}

/**
 * Starts a proxy that answers slowly and lets requests fail in four ways: before or after the receiver has them, with
 * an answer or with a connection that breaks.
 *
 * @param seed of what fails. @default that of the run
 */
export async function startFlakyProxy(
  t: { teardown(dispose: () => unknown): void },
  seed = SEED,
): Promise<FlakyProxy> {
  const random = createRandom('flaky proxy', seed);
  const bodies = new Map<string, Set<string>>();

  const endpoint = await startEndpoint(t, async (got, response) => {
    note(got);
    const fails = random.chance(proxy.failing);
    const way = random.integer(0, 4);
    await pause(random.next() * 20);
    if (fails && way === 0) return response.writeHead(503).end('too busy');
    if (fails && way === 1) return response.destroy();
    const answer = await sendOn(proxy.target, got).catch(() => undefined);
    if (answer === undefined || (fails && way === 2)) return response.destroy();
    if (fails) return response.writeHead(504).end('no answer in time');
    return response.writeHead(answer.status).end(answer.body);
  });

  function note({ body }: Got): void {
    const { data } = JSON.parse(body.toString()) as { data: { id: string } };
    const known = bodies.get(data.id) ?? new Set();
    bodies.set(data.id, known.add(hash('sha256', body)));
  }

  const proxy: FlakyProxy = { ...endpoint, target: '', failing: 0, bodies };
  return proxy;
}

function sendOn(origin: string, { headers, body }: Got): Promise<{ status: number; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const request = http.request(`${origin}/webhook`, { method: 'POST', headers }, async (answer) => {
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of answer) chunks.push(chunk as Buffer);
        resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks) });
      } catch (error) {
        reject(error);
      }
    });
    request.on('error', reject);
    request.end(body);
  });
}
