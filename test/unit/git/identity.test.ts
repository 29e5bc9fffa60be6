import test from 'ava';
import type { Git } from '../../../src/git/git.js';
import { identityOf } from '../../../src/git/identity.js';

/** A git whose config has these settings. */
const gitWith = (settings: Readonly<Record<string, string>>): Git => {
  const stdout = Object.entries(settings)
    .map(([key, value]) => `${key}\n${value}\0`)
    .join('');
  return async () => ({ code: 0, stdout, stderr: '', bytes: Buffer.from(stdout) });
};

test('commits are by the author of Pressmark’s config, else by git’s, else by Pressmark', async (t) => {
  const [bot, olga] = [
    { name: 'Bot <1>\n', email: 'bot@example.org' },
    { name: 'Olga', email: 'olga@example.org' },
  ];
  const git = { 'user.name': olga.name, 'user.email': olga.email, 'committer.name': 'Ann' };
  const both = (one: object) => ({ author: one, committer: one });
  t.deepEqual(await identityOf(gitWith(git), bot), both({ ...bot, name: 'Bot 1' }));
  t.deepEqual(await identityOf(gitWith(git)), { author: olga, committer: { ...olga, name: 'Ann' } });
  t.deepEqual(await identityOf(gitWith({})), both({ name: 'Pressmark', email: 'pressmark@localhost' }));
});
