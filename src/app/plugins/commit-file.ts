import type { Settings } from '../../config/load.js';
import { messageOf } from '../../errors.js';
import { readHead } from '../../git/commit/head.js';
import { patiently } from '../../git/commit/move-branch.js';
import { saidIn } from '../../git/git.js';
import { identityOf, identityVariables, type Person } from '../../git/identity.js';
import { openRepository, type Repository } from '../../git/repository.js';
import type { SettingsCommit } from '../../host/admin/plugins-service.js';

/**
 * Commits one file of the site, and nothing that a person has staged.
 *
 * @param path below the site's folder.
 * @param author the author of the change; the committer is the same as for articles.
 * @returns a promise that never rejects, as the file is already written.
 */
export async function commitFile(
  { dir, git: setting, environment, durability }: Settings,
  path: string,
  message: string,
  author: Person,
): Promise<SettingsCommit> {
  if (setting === false) return { kind: 'none' };
  // At level push, a commit that the remote lacks would keep the receiver from following the remote.
  if (durability === 'push')
    return {
      kind: 'failed',
      reason: `with durability: 'push', Pressmark commits only articles; commit and push ${path} yourself`,
    };
  try {
    const repository = await openRepository(dir, environment);
    if (repository.kind === 'none') return { kind: 'none' };
    const { git, prefix } = repository;
    const head = await readHead(repository);
    if (head.kind === 'not now')
      return { kind: 'failed', reason: `git waits for ${head.waitingFor}; commit ${path} after that` };
    const { author: set, sign = false } = typeof setting === 'object' ? setting : {};
    const { committer } = await identityOf(git, set);
    const env = identityVariables({ author: (await identityOf(git, author)).author, committer });
    // Articles may be being committed.
    const commit = await patiently(async () => {
      await git(['add', '--intent-to-add', '--', `${prefix}${path}`]);
      return commitOnly(repository, [`${prefix}${path}`], message, env, sign);
    });
    return { kind: 'committed', commit };
  } catch (error) {
    return { kind: 'failed', reason: messageOf(saidIn(error)) };
  }
}

/**
 * Commits only these files, as they are, without the repository's hooks.
 *
 * @param paths from the top of the work tree.
 * @param sign whether to sign with the owner's key and settings.
 * @returns the commit's name.
 */
export async function commitOnly(
  { git }: Repository,
  paths: readonly string[],
  message: string,
  env: NodeJS.Dict<string>,
  sign: boolean,
): Promise<string> {
  const signing = sign ? '--gpg-sign' : '--no-gpg-sign';
  const flags = ['--only', '--quiet', '--no-verify', signing, '--cleanup=verbatim'];
  const input = paths.map((path) => `${path}\0`).join('');
  const from = ['--pathspec-from-file=-', '--pathspec-file-nul'];
  await git(['commit', ...flags, `--message=${message}`, ...from], { input, env });
  return (await git(['rev-parse', 'HEAD'])).stdout.trim();
}
