import type { Settings } from '../config/load.js';
import { openRepository } from '../git/repository.js';
import type { RunningReceiver } from './running-receivers.js';

/** What a receiver that runs does not do until it is restarted. */
export async function restartReason(
  settings: Settings,
  receivers: readonly RunningReceiver[],
): Promise<string | undefined> {
  const idle = receivers.find(({ commits }) => !commits);
  if (idle === undefined || settings.git === false) return undefined;
  const repository = await openRepository(settings.dir, settings.environment);
  if (repository.kind === 'none') return undefined;
  return `the receiver (process ${idle.pid}) commits nothing, as it was started before git was set up here`;
}
