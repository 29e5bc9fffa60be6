import net from 'node:net';
import type { Settings } from '../../config/load.js';
import { HEALTH } from '../content/content.js';
import { openTargets } from '../deploy.js';
import { listen } from '../server/server.js';
import { type Finding, refusalOf } from './finding.js';

/** How long a receiver on the port may take to answer, in milliseconds. */
const ANSWER_MS = 10_000;

/** What the start refuses and no other finding looks at, by the checks of the start. */
export async function startFindings(settings: Settings): Promise<Finding[]> {
  return [
    ...(await refusalOf('deploy', () => openTargets(settings, async () => undefined))),
    ...(await portFindings(settings)),
  ];
}

/** Whether the port is free; it may be the site's own receiver that has it. */
async function portFindings({ port, host }: Settings): Promise<Finding[]> {
  const about = 'port';
  if (port === 0) return []; // the system chooses one
  // The own receiver has the port as a rule; asked first, it is not kept from a port that it is about to take.
  if (await isReceiver(port, host))
    return [
      { level: 'ok', about, text: `a receiver answers on port ${port}; a second one needs another port` },
    ];
  const server = net.createServer((socket) => socket.destroy());
  const refused = await refusalOf(about, () => listen(server, port, host));
  server.close();
  return refused.length === 0 ? [{ level: 'ok', about, text: `${port} is free` }] : refused;
}

/** Whether a receiver of Pressmark answers. */
async function isReceiver(port: number, host = 'localhost'): Promise<boolean> {
  try {
    const name = net.isIPv6(host) ? `[${host}]` : host;
    const signal = AbortSignal.timeout(ANSWER_MS);
    const answer = await fetch(`http://${name}:${port}${HEALTH}`, { signal, redirect: 'manual' });
    const body: unknown = await answer.json();
    return typeof body === 'object' && body !== null && 'ok' in body && typeof body.ok === 'boolean';
  } catch {
    return false; // another program, which may speak anything
  }
}
