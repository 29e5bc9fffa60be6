import { join } from 'node:path';
import type { Settings } from '../../config/load.js';
import { commitAt } from '../../git/objects.js';
import { readPushStatus, wordsOf } from '../../git/push/push-status.js';
import { createRemote, type Remote } from '../../git/push/remote.js';
import { openRepository, type Repository } from '../../git/repository.js';
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

/** How far HEAD, where articles are committed, is before the branch of the remote. */
async function waiting(
  repository: Repository,
  { ref, name }: Remote,
  tip: string | null,
): Promise<Finding[]> {
  const { git } = repository;
  const branch = ref.replace('refs/heads/', '');
  if ((await commitAt(repository, 'HEAD')) === null)
    return [{ level: 'ok', about, text: 'there is no commit yet that could be pushed' }];
  const not = tip === null ? [] : ['--not', tip];
  const { stdout } = await git(['rev-list', '--count', 'HEAD', ...not]);
  const count = Number(stdout);
  if (count === 0) return [{ level: 'ok', about, text: `everything is pushed to ${branch}` }];
  const commits = count === 1 ? '1 commit is' : `${count} commits are`;
  const missing = tip === null ? `: ${name} has no branch ${branch} yet, which the first push makes` : '';
  return [
    {
      level: 'warn',
      about,
      text: `${commits} not pushed to ${branch}${missing}`,
      fix: 'start the receiver, which pushes them, or git push',
    },
  ];
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
      fix: 'do that; until then commits stay in this repository',
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
