import { join } from 'node:path';
import type { Settings } from '../../config/load.js';
import { openRepository, type Repository } from '../../git/cli/repository.js';
import { readPushStatus, wordsOf } from '../../git/push/push-status.js';
import { createRemote, type Remote } from '../../git/push/remote.js';
import { foldersOf } from '../content/folders.js';
import { isPushed, PUSH_STATUS, pushConfig } from '../durability.js';
import type { Finding } from './finding.js';

const about = 'push';

/** What is to be said of pushing: whether the remote answers, what waits, and what went wrong last. */
export async function pushFindings(settings: Settings): Promise<Finding[]> {
  // The findings on git have said why nothing can be pushed.
  if (!isPushed(settings) || settings.git === false) return [];
  const repository = await openRepository(settings.dir, settings.environment);
  if (repository.kind === 'none') return [];
  try {
    const remote = await createRemote(repository, pushConfig(settings), settings.environment);
    const tip = await remote.fetch(null);
    return [
      { level: 'ok', about, text: `${remote.name} answers` },
      ...(await waiting(repository, remote, tip)),
      ...lastOf(settings),
    ];
  } catch (error) {
    const fix =
      'try git fetch and git push by hand, as the user who runs Pressmark; nobody is asked for a password';
    return [
      { level: settings.durability === 'push' ? 'fail' : 'warn', about, text: wordsOf(error), fix },
      ...lastOf(settings),
    ];
  }
}

/** How far the branch here is before that of the remote. */
async function waiting({ git }: Repository, { ref, name }: Remote, tip: string | null): Promise<Finding[]> {
  if (tip === null)
    return [{ level: 'ok', about, text: `${name} has no such branch yet; the first push makes it` }];
  const { code, stdout } = await git(['rev-list', '--count', ref, '--not', tip], { accept: [128] });
  const count = code === 0 ? Number(stdout) : 0;
  if (count === 0) return [{ level: 'ok', about, text: 'everything is pushed' }];
  const text = `${count} commits are not pushed`;
  return [{ level: 'warn', about, text, fix: 'start the receiver, which pushes them, or git push' }];
}

/** What the receiver has left to be known. */
function lastOf(settings: Settings): Finding[] {
  const status = readPushStatus(join(foldersOf(settings).stateDir, PUSH_STATUS));
  if (status === undefined) return [];
  const { lastPush, waitingFor, lastError } = status;
  const findings: Finding[] = [];
  if (lastPush !== null) findings.push({ level: 'ok', about, text: `pushed last at ${lastPush}` });
  if (waitingFor !== null)
    findings.push({
      level: 'warn',
      about,
      text: `waits for ${waitingFor}`,
      fix: 'do that; nothing is lost meanwhile',
    });
  if (lastError !== null)
    findings.push({
      level: 'warn',
      about,
      text: `last error: ${lastError}`,
      fix: 'it is tried again by itself',
    });
  return findings;
}
