import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { article } from '../../support/events.js';
import { startHere } from '../../support/receiver-here.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { withPlugins } from '../../support/with-plugins.js';

const LISTENER = `import fs from 'node:fs';
export default { name: 'listener', receiver(host) {
  for (const name of ['article.created', 'article.edited', 'article.removed', 'site.changed', 'git.pushed', 'git.failed', 'deploy.requested', 'deploy.done', 'deploy.failed'])
    host.addAction(name, (event) => fs.appendFileSync(host.paths.site + '/.actions', JSON.stringify({ name, ...event }) + '\\n'));
  host.routes((router) => router.post('/deploy', async (context) => {
    await host.use('builds').deploy();
    context.body = {};
  }));
} };`;

test('plugins hear of files by hand, of what has changed on the site, of pushes, of deploys, and of what fails', async (t) => {
  const dir = tempDir(t);
  const remote = join(tempDir(t), 'remote.git');
  const git = (...args: string[]) => execFileSync('git', ['-C', dir, ...args], { encoding: 'utf8' }).trim();
  execFileSync('git', ['init', '--quiet', '--bare', remote]);
  execFileSync('git', ['init', '--quiet', '--initial-branch=main', dir]);
  git('remote', 'add', 'origin', remote);
  withPlugins(dir, { listener: LISTENER });
  fs.writeFileSync(join(dir, '.git/info/exclude'), 'ignored.md\n');
  const folder = join(tempDir(t), 'srv');
  const config = {
    site: { search: false },
    git: { push: { debounce: 10 } },
    deploy: [{ folder }, { command: 'exit 3' }],
  };
  const { post, origin } = await startHere(t, { dir, config });
  const events = (): Record<string, unknown>[] =>
    fs.existsSync(join(dir, '.actions'))
      ? fs
          .readFileSync(join(dir, '.actions'), 'utf8')
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line))
      : [];
  const heard = (name: string, isMeant: (event: Record<string, unknown>) => boolean = () => true) =>
    until(`${name} is heard`, () => events().some((event) => event.name === name && isMeant(event)));

  const { json } = await post('article.published', article({ slug: 'sent' }));
  t.regex(json.url, /\/articles\/sent\/$/);
  await heard('site.changed', ({ files }) => JSON.stringify(files).includes('"articles/sent/index.html"'));
  await heard('git.pushed', ({ commit, branch }) => branch === 'main' && commit === git('rev-parse', 'main'));
  await heard('deploy.done', ({ target }) => target === `folder ${folder}`);
  await heard('deploy.failed', ({ target, error }) => target === 'command exit 3' && /3/.test(String(error)));
  t.false(
    events().some(({ name }) => name === 'deploy.requested'),
    'nobody has asked for one',
  );
  await fetch(`${origin}/-/listener/deploy`, { method: 'POST', headers: { connection: 'close' } });
  await heard('deploy.requested');

  t.is((await post('article.published', article({ slug: 'ignored' }))).status, 200);
  await heard(
    'git.failed',
    ({ path, reason }) => String(path).endsWith('/ignored.md') && reason === 'it is ignored by git',
  );

  const path = join(dir, 'content/articles/mine.md');
  fs.writeFileSync(path, '---\ntitle: Mine\ndate: 2026-01-01\n---\nBy hand.\n');
  await heard('article.created', ({ path: at }) => at === 'content/articles/mine.md');
  fs.appendFileSync(path, 'And more.\n');
  await heard('article.edited', ({ path: at }) => at === 'content/articles/mine.md');
  // In a list: a machine that is slow may build it together with the article before it.
  await heard('site.changed', ({ articles }) =>
    JSON.stringify(articles).includes('"content/articles/mine.md"'),
  );
  fs.unlinkSync(path);
  await heard('article.removed', ({ path: at }) => at === 'content/articles/mine.md');
  const created = events().filter(({ name }) => name === 'article.created');
  t.is(created.length, 1, 'what was delivered is not new by hand');
});
