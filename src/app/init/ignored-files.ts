import { CHECK_IGNORE, createGit } from '../../git/git.js';
import type { InitPlan } from './plan.js';

/**
 * The plan without the files that git ignores among those that belong into a commit: `git add` would stop at one.
 *
 * @param dir the site's folder, in which everything is written.
 */
export async function withoutIgnored(
  plan: InitPlan,
  dir: string,
  env: NodeJS.Dict<string>,
): Promise<InitPlan> {
  if (plan.toCommit.length === 0) return plan;
  const git = createGit({ cwd: dir, env });
  // Where git does not run, git add will say why.
  const answer = await git([...CHECK_IGNORE, '--', ...plan.toCommit], { accept: [1] }).catch(() => undefined);
  const ignored = plan.toCommit.filter((path) => answer?.stdout.split('\n').includes(path));
  if (ignored.length === 0) return plan;
  const warning = {
    level: 'warn',
    text: `git ignores ${ignored.join(' and ')}, so that a clone of the site lacks ${ignored.length === 1 ? 'it' : 'them'}`,
    fix: `if that is not on purpose, run git add --force ${ignored.join(' ')}`,
  } as const;
  return {
    ...plan,
    toCommit: plan.toCommit.filter((path) => !ignored.includes(path)),
    warnings: [...plan.warnings, warning],
  };
}
