import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { gitIn, launchIn } from '../../support/clones.js';
import { articleFiles } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { gitThatFails } from '../../support/failing-git.js';
import { createFaults } from '../../support/faults.js';
import { run } from '../../support/receiver.js';
import { storeOnly } from '../../support/store-only.js';
import { tempDir } from '../../support/temp-dir.js';

function makeSite(t: ExecutionContext): string {
  const dir = tempDir(t);
  gitIn(dir, 'init', '--quiet', '--initial-branch=main');
  fs.writeFileSync(join(dir, '.gitignore'), 'public/\n.gitconfig\n');
  gitIn(dir, 'add', '.');
  gitIn(dir, 'commit', '--quiet', '-m', 'First');
  return dir;
}

/** What each commit since the first is about. */
function ids(dir: string, ref = 'HEAD'): string[] {
  const format = '%(trailers:key=Article-Id,valueonly,separator=%x2C)';
  return gitIn(dir, 'log', `--format=${format}`, ref)
    .split('\n')
    .filter((line) => line !== '');
}

function withCommits(dir: string): string {
  fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify({ site: false, durability: 'commit' }));
  return dir;
}

async function start(t: ExecutionContext, dir: string) {
  const receiver = await launchIn(withCommits(dir));
  t.teardown(() => receiver.kill('SIGKILL'));
  return receiver;
}

test('200: every delivery that is answered has its commit in HEAD', async (t) => {
  const dir = makeSite(t);
  const { post } = await start(t, dir);
  const all = Array.from({ length: 20 }, () => article());
  const committed = await Promise.all(
    all.map(async (data) => {
      const { status, json } = await post('article.published', data);
      return { status, json, there: ids(dir).includes(data.id) };
    }),
  );
  t.deepEqual([...new Set(committed.map(({ status, there }) => `${status} ${there}`))], ['200 true']);
  t.deepEqual(ids(dir).sort(), all.map(({ id }) => id).sort(), 'one commit each');
  t.true(gitIn(dir, 'reflog', 'main').trim().split('\n').length < all.length, 'several in one ref update');

  const [first] = all;
  const { url, id } = committed[0]?.json ?? { url: '', id: '' };
  const { revision_id: base_revision_id } = (await post('article.lookup', { target_url: url })).json.target;
  const change = update({ target_id: id, target_url: url, base_revision_id });
  t.is((await post('article.updated', change)).status, 200);
  t.is(ids(dir)[0], first?.id);
  t.regex(
    gitIn(dir, 'log', '-1', '--format=%s%n%b'),
    new RegExp(`^Update: .*Revision-Id: ${change.id}`, 's'),
  );
  t.is(gitIn(dir, 'status', '--porcelain', 'content'), '');
});

test('503: an article that cannot be committed is taken back, and stored when it is sent again', async (t) => {
  const dir = withCommits(makeSite(t));
  const git = gitThatFails(t);
  const receiver = await launchIn(dir, { env: git.env });
  t.teardown(() => receiver.kill('SIGKILL'));
  const { post, origin } = receiver;
  t.is((await post('article.published', article())).status, 200);
  const before = articleFiles(dir);
  git.set('fail', 'fast-import');
  const data = article();
  const refused = await post('article.published', data);
  t.is(refused.status, 503);
  t.regex(refused.json.error, /could not be committed.*send it again/);
  t.deepEqual(articleFiles(dir), before);
  t.is((await fetch(`${origin}/healthz`)).status, 200);
  git.mend();
  t.is((await post('article.published', data)).status, 200);
  t.is(ids(dir)[0], data.id);
});

test('a lookup beside an update never tells a revision that is taken back', async (t) => {
  const dir = withCommits(makeSite(t));
  const git = gitThatFails(t);
  const receiver = await launchIn(dir, { env: git.env });
  t.teardown(() => receiver.kill('SIGKILL'));
  const { post, find } = receiver;
  const data = article();
  const { url } = (await post('article.published', data)).json;
  const { revision_id: base_revision_id } = await find(url);
  git.set('fail', 'fast-import');
  const change = update({ target_id: data.id, target_url: url, base_revision_id });
  let over = false;
  const seen = new Set<string>();
  const looking = (async () => {
    while (!over) seen.add((await find(url)).revision_id);
  })();
  t.is((await post('article.updated', change)).status, 503);
  over = true;
  await looking;
  t.deepEqual([...seen], [base_revision_id]);
  git.mend();
  t.is((await post('article.updated', change)).status, 200);
  t.is((await find(url)).revision_id, change.id);
});

test('503: a commit that may not be on the disk stays, and is acknowledged when its folders could be synced', async (t) => {
  const dir = withCommits(makeSite(t));
  const faults = createFaults(t);
  const receiver = await launchIn(dir, { ...faults.options, storeOnly: false });
  t.teardown(() => receiver.kill('SIGKILL'));
  t.is((await receiver.post('article.published', article())).status, 200);
  faults.set({ call: 'fsync', path: '\\.git/refs/heads$', code: 'EIO', times: 1 });
  const data = article();
  t.is((await receiver.post('article.published', data)).status, 503);
  t.is(ids(dir)[0], data.id);
  t.is(articleFiles(dir).length, 2, 'what the history has is not taken back');
  const { status, json } = await receiver.post('article.published', data);
  t.deepEqual([status, json.id], [200, data.id]);
  t.is(ids(dir).length, 2, 'no second commit');
  t.is(gitIn(dir, 'status', '--porcelain', 'content'), '');
  t.true(faults.trace().some(({ call, paths }) => call === 'fsync' && /refs\/heads$/.test(paths[0] ?? '')));
});

test('200: what another level had stored on the disk alone is committed before it is acknowledged', async (t) => {
  const dir = makeSite(t);
  const first = await launchIn(storeOnly(dir));
  const data = article();
  const { text } = await first.post('article.published', data);
  await first.stop();
  t.deepEqual(ids(dir), []);
  const { post } = await start(t, dir);
  t.is((await post('article.published', data)).text, text);
  t.deepEqual(ids(dir), [data.id]);
});

test('200: while HEAD is detached, the commit that is there before the answer is a parked one', async (t) => {
  const dir = makeSite(t);
  gitIn(dir, 'checkout', '--quiet', '--detach');
  const { post } = await start(t, dir);
  const data = article();
  t.is((await post('article.published', data)).status, 200);
  t.deepEqual(ids(dir), []);
  t.deepEqual(ids(dir, 'refs/pressmark/parked'), [data.id]);
});

for (const [what, prepare, message] of [
  [
    'outside of a work tree',
    (dir: string) => fs.rmSync(join(dir, '.git'), { recursive: true }),
    /not in a git work tree/,
  ],
  [
    'in an ignored folder',
    (dir: string) => fs.appendFileSync(join(dir, '.gitignore'), 'content/\n'),
    /ignored by git/,
  ],
] as const)
  test(`a start with durability commit ${what} is refused and says why`, async (t) => {
    const dir = makeSite(t);
    prepare(dir);
    const { code, stderr, stdout } = await run(['start', '--dir', withCommits(dir), '--port', '0'], {
      PRESSMARK_SECRET: 'a-secret-that-nobody-guesses-1234',
    });
    t.is(code, 2);
    t.regex(`${stdout}${stderr}`, message);
  });
