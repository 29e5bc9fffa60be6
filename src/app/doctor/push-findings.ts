import type { Settings } from '../../config/load.js';
import { commitAt } from '../../git/objects.js';
import { wordsOf } from '../../git/push/push-status.js';
import { createRemote, type Remote } from '../../git/push/remote.js';
import { openRepository, type Repository } from '../../git/repository.js';
import { isPushed, pushConfig } from '../git-settings.js';
import { type Finding, fail, ok, warn } from './finding.js';

const about = 'push';

/** Whether the remote answers, and what waits to be pushed; what went wrong last, the status has. */
export async function pushFindings(settings: Settings): Promise<Finding[]> {
  // The findings on git have said why nothing can be pushed.
  if (!isPushed(settings) || settings.git === false) return [];
  const repository = await openRepository(settings.dir, settings.environment);
  if (repository.kind === 'none') return [];
  try {
    const remote = await createRemote(repository, pushConfig(settings), settings.environment);
    const tip = await remote.fetch(null);
    return [ok(about, `${remote.name} answers`), ...(await waiting(repository, remote, tip))];
  } catch (error) {
    const fix =
      'try git fetch and git push by hand, as the user who runs Pressmark; nobody is asked for a password';
    return [fail(about, wordsOf(error), fix)];
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
