import type { Settings } from '../../config/load.js';
import { refuseForeignOutput } from '../../site/builder/ownership.js';
import { HEALTH } from '../content/content.js';
import { foldersOf } from '../content/folders.js';
import { openTargets } from '../deploy.js';
import { originOf, type RunningReceiver } from '../running-receivers.js';
import { tryPort } from '../server/server.js';
import { type Finding, refusalOf } from './finding.js';

const about = 'port';

/** How long a receiver on the port may take to answer, in milliseconds. */
const ANSWER_MS = 10_000;

/** What the start refuses and no other finding looks at, by the checks of the start. */
export async function startFindings(
  settings: Settings,
  receivers: readonly RunningReceiver[],
): Promise<Finding[]> {
  return [
    ...(await refusalOf('deploy', () => openTargets(settings, async () => undefined))),
    ...(await refusalOf('output', () => {
      if (settings.site !== false) refuseForeignOutput(foldersOf(settings), settings.output);
    })),
    ...(await portFindings(settings, receivers)),
  ];
}

/** Whether the site's receivers answer; where none runs, whether the port is free. */
async function portFindings(
  { port, host }: Settings,
  receivers: readonly RunningReceiver[],
): Promise<Finding[]> {
  if (receivers.length > 0) return Promise.all(receivers.map(answering));
  if (port === 0) return []; // the system chooses one
  // Asked first, it is not kept from a port that it is about to take.
  if (await isReceiver({ port, host }))
    return [
      {
        level: 'warn',
        about,
        text: `another receiver answers on port ${port}, and none of this site runs on this machine`,
        fix: 'set another port in the config, or start this site’s with --port',
      },
    ];
  return refusalOf(
    about,
    () => tryPort(port, host),
    `${port} is free; no receiver of this site is running on this machine`,
  );
}

async function answering(receiver: RunningReceiver): Promise<Finding> {
  const { port, pid } = receiver;
  return (await isReceiver(receiver))
    ? { level: 'ok', about, text: `this site’s receiver answers on port ${port} (process ${pid})` }
    : {
        level: 'fail',
        about,
        text: `this site’s receiver (process ${pid}) does not answer on port ${port}`,
        fix: 'look at its log, and restart it',
      };
}

/** Whether a receiver of Pressmark answers. */
async function isReceiver(address: Pick<RunningReceiver, 'port' | 'host'>): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const answer = await fetch(`${originOf(address)}${HEALTH}`, { signal, redirect: 'manual' });
    const body: unknown = await answer.json();
    return typeof body === 'object' && body !== null && 'ok' in body && typeof body.ok === 'boolean';
  } catch {
    return false; // another program, which may speak anything
  }
}
