import { join } from 'node:path';
import type { Settings } from '../../config/load.js';
import { messageOf } from '../../errors.js';
import { branchOfHead } from '../../git/commit/head.js';
import { commitAt } from '../../git/objects.js';
import { readPushStatus, wordsOf } from '../../git/push/push-status.js';
import { createRemote, type Remote, remoteUrlOf } from '../../git/push/remote.js';
import { createReviewHost } from '../../git/push/review-host.js';
import { openRepository, type Repository } from '../../git/repository.js';
import { foldersOf } from '../content/folders.js';
import { checkGitSettings, isPushed, PUSH_STATUS, pushConfig, reviewConfig } from '../durability.js';
import { checked, type Finding, ok, warn } from './finding.js';

const about = 'push';

/** What is to be said of pushing: whether the remote answers, what waits, and what went wrong last. */
export async function pushFindings(settings: Settings): Promise<Finding[]> {
  // The findings on git have said why nothing can be pushed.
  if (!isPushed(settings) || settings.git === false) return [];
  const repository = await openRepository(settings.dir, settings.environment);
  if (repository.kind === 'none') return [];
  return [...(await remoteFindings(repository, settings)), ...(await reviewFindings(repository, settings))];
}

async function remoteFindings(repository: Repository, settings: Settings): Promise<Finding[]> {
  try {
    const remote = await createRemote(repository, pushConfig(settings), settings.environment);
    const tip = await remote.fetch(null);
    return [
      ok(about, `${remote.name} answers`),
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

/** Whether the host of the pull request answers. */
async function reviewFindings(repository: Repository, settings: Settings): Promise<readonly Finding[]> {
  const refused = await checked(about, () => checkGitSettings(settings));
  const review = reviewConfig(settings);
  if (review === undefined || refused.length > 0) return refused;
  const { pullRequest: kind, branch: head, api, token } = review;
  try {
    const remoteUrl = await remoteUrlOf(repository, pushConfig(settings).remote);
    const host = createReviewHost({ kind, remoteUrl, api, token });
    const base = (await branchOfHead(repository))?.replace('refs/heads/', '') ?? '';
    const found = await host.newest({ head, base });
    return [ok(about, found?.isOpen ? `pull request: ${found.url}` : 'no pull request is open')];
  } catch (error) {
    const fix = `articles are pushed to ${head} as before; open the pull request by hand until it works`;
    return [warn(about, `no pull request: ${messageOf(error)}`, fix)];
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
  if ((await commitAt(repository, 'HEAD')) === null) return [ok(about, 'there is no commit to push yet')];
  const not = tip === null ? [] : ['--not', tip];
  const { stdout } = await git(['rev-list', '--count', 'HEAD', ...not]);
  const count = Number(stdout);
  if (count === 0) return [ok(about, `everything is pushed to ${branch}`)];
  const commits = count === 1 ? '1 commit is' : `${count} commits are`;
  const missing = tip === null ? `: ${name} has no branch ${branch} yet, which the first push makes` : '';
  const fix = 'start the receiver, which pushes them, or git push';
  return [warn(about, `${commits} not pushed to ${branch}${missing}`, fix)];
}

/** What the receiver has left to be known. */
function lastOf(settings: Settings): Finding[] {
  const status = readPushStatus(join(foldersOf(settings).stateDir, PUSH_STATUS));
  if (status === undefined) return [];
  const { lastPush, waitingFor, lastError, isDeclined } = status;
  const findings: Finding[] = [];
  if (lastPush !== null) findings.push(ok(about, `pushed last at ${lastPush}`));
  if (waitingFor !== null)
    findings.push(
      warn(about, `waits for ${waitingFor}`, 'do that; until then commits stay in this repository'),
    );
  if (lastError !== null) {
    const fix = isDeclined
      ? 'change the rules of the branch or the rights of this user, or push to another branch (git.push.branch); commits stay in this repository until then'
      : 'Pressmark tries again';
    findings.push(warn(about, `last error: ${lastError}`, fix));
  }
  return findings;
}
