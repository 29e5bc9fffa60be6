import test from 'ava';
import { targetsBeforeReview } from '../../../src/app/deploy.js';
import type { DeployTarget } from '../../../src/deploy/targets/target.js';

const target = (name: string): DeployTarget => ({ name, deploy: async () => undefined });
const hook = { ...target('hook'), commits: { folder: () => '', version: () => '' } };

test('with pull requests, a target that Pressmark builds for gets articles before their review', (t) => {
  const settings = (pullRequest?: string) =>
    ({ git: { push: { branch: 'articles', pullRequest } } }) as Parameters<typeof targetsBeforeReview>[0];
  const targets = [target('folder /srv/www'), hook];
  t.deepEqual(targetsBeforeReview(settings('github'), targets), ['folder /srv/www']);
  t.deepEqual(targetsBeforeReview(settings(), targets), []);
});
