import fs from 'node:fs';
import { basename, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { textOf } from '../../../../src/git/push/pull-request.js';
import { REVIEW_HOSTS, type ReviewHostKind } from '../../../../src/git/push/review-dialects.js';
import { commitAndPush, gitIn, launchIn, makeRemote } from '../../../support/clones.js';
import { article } from '../../../support/events.js';
import { run } from '../../../support/receiver.js';
import { startReviewServer } from '../../../support/review-server.js';
import { tempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';
import { configure, statusOf } from './pushing-site.js';

const TOKEN = 'token-for-pull-requests';
const BRANCH = 'pressmark/articles';

/** A receiver that pushes to a branch of its own, and the host of its remote. */
async function reviewedSite(t: ExecutionContext, kind: ReviewHostKind = 'github', token = TOKEN) {
  const folder = tempDir(t);
  const clones = makeRemote(folder);
  const project = `${basename(folder)}/remote`;
  const tipOf = (branch: string) => {
    const file = join(clones.remote, 'refs', 'heads', branch);
    return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim() : undefined;
  };
  const server = await startReviewServer(t, { kind, project, token: TOKEN, tipOf });
  const dir = clones.clone('site');
  configure(dir, { push: { debounce: 50, branch: BRANCH, pullRequest: kind, api: server.api } });
  fs.writeFileSync(join(dir, '.git', 'info', 'exclude'), '.gitconfig\n.env\n');
  fs.writeFileSync(join(dir, '.env'), `PRESSMARK_GIT_TOKEN=${token}\n`);
  gitIn(dir, 'update-index', '--assume-unchanged', 'pressmark.config.json');
  const receiver = await launchIn(dir);
  t.teardown(() => receiver.kill('SIGKILL'));
  const publish = async (title: string) => {
    const data = article({ title, slug: title });
    t.is((await receiver.post('article.published', data)).status, 200);
    return data;
  };
  const review = async () => (await statusOf(receiver)).pullRequest;
  return { clones, server, dir, receiver, publish, review };
}

const status = async (dir: string) => (await run(['status', '--dir', dir])).stdout;
const list = async (dir: string) => (await run(['list', '--dir', dir])).stdout;
const doctor = async (dir: string) => (await run(['doctor', '--dir', dir])).stdout;

for (const kind of REVIEW_HOSTS)
  test(`${kind}: one pull request lists the waiting articles; after it is merged, the next article opens another one`, async (t) => {
    const { clones, server, dir, publish, review, receiver } = await reviewedSite(t, kind);
    await publish('One');
    await until('a pull request is open', () => server.pulls.length === 1);
    t.like(server.pulls[0], { title: 'Article: One', head: BRANCH, base: 'main' });
    await publish('Two');
    await until('it lists both', () => server.pulls[0]?.title === '2 articles');
    t.is(server.pulls.length, 1);
    t.regex(server.pulls[0]?.body ?? '', /^- New: `One` \(https:.*\)\n- New: `Two` \(https:.*\)$/m);
    await until('the receiver knows it', async () => (await review())?.url === server.url(1));
    // The commands do not differ by the host.
    if (kind === 'github') {
      t.true((await status(dir)).includes(`review    2 articles wait for review: ${server.url(1)}`));
      t.is((await list(dir)).match(/\(waits for review\)/g)?.length, 2);
      t.true((await doctor(dir)).includes(`pull request: ${server.url(1)}`));
    }

    // as a host merges it
    const [pull] = server.pulls;
    gitIn(clones.clone('host'), 'push', '--quiet', 'origin', `origin/${BRANCH}:main`);
    if (pull) pull.state = 'merged';
    await publish('Three');
    await until('another one is open', () => server.pulls.length === 2);
    t.like(server.pulls[1], { title: 'Article: Three', state: 'open' });
    t.is(server.pulls[0]?.title, '2 articles');
    await until('the receiver knows that one', async () => (await review())?.url === server.url(2));
    if (kind === 'github') t.is((await list(dir)).match(/\(waits for review\)/g)?.length, 1);
    t.false(JSON.stringify(receiver.log).includes(TOKEN));
  });

test('a pull request that was closed is not opened again before another article comes, not even by a start', async (t) => {
  const { server, dir, receiver, publish } = await reviewedSite(t);
  await publish('One');
  await until('a pull request is open', () => server.pulls.length === 1);
  for (const pull of server.pulls) pull.state = 'closed';
  await receiver.stop();
  const asked = server.requests.length;
  const next = await launchIn(dir);
  t.teardown(() => next.kill('SIGKILL'));
  await until('the host was asked', () => server.requests.length > asked);
  await until('the receiver knows', async () => (await statusOf(next)).pullRequest?.url === null);
  t.is(server.pulls.length, 1);
  t.is((await next.post('article.published', article({ title: 'Two' }))).status, 200);
  await until('another one is open', () => server.pulls.length === 2);
  t.is(server.pulls[1]?.title, '2 articles', 'what was closed still waits');
});

test('what was merged as one other commit does not wait; that commit and a reviewer’s come into the work tree', async (t) => {
  const { clones, server, dir, publish } = await reviewedSite(t);
  await publish('One');
  await until('a pull request is open', () => server.pulls.length === 1);
  const olga = clones.clone('olga');
  gitIn(olga, 'merge', '--quiet', '--squash', `origin/${BRANCH}`);
  fs.writeFileSync(join(olga, 'merged.txt'), 'on main\n');
  gitIn(olga, 'add', '.');
  gitIn(olga, 'commit', '--quiet', '-m', 'Articles');
  gitIn(olga, 'push', '--quiet', 'origin', 'main');
  for (const pull of server.pulls) pull.state = 'merged';
  await publish('Two');
  await until('another one is open', () => server.pulls.length === 2);
  t.is(server.pulls[1]?.title, 'Article: Two');
  t.true(fs.existsSync(join(dir, 'merged.txt')));

  gitIn(olga, 'fetch', '--quiet');
  gitIn(olga, 'checkout', '--quiet', '-B', BRANCH, `origin/${BRANCH}`);
  commitAndPush(olga, 'review.txt', 'looks good\n');
  await publish('Three');
  await until('it lists both', () => server.pulls[1]?.title === '2 articles');
  t.true(fs.existsSync(join(dir, 'review.txt')));
});

test('a host that fails is reported and asked again; deliveries and pushes go on', async (t) => {
  const { clones, server, dir, receiver, publish, review } = await reviewedSite(t);
  server.fail = { status: 503, body: { message: 'down for a moment' } };
  await publish('One');
  const reason = 'GitHub answered 503: down for a moment';
  await until('it is reported', async () => (await review())?.error === reason);
  t.true(receiver.log.some(({ level, reason: why }) => level === 40 && why === reason));
  await until('status says so', async () => (await status(dir)).includes(`review    ${reason}`));
  t.true((await doctor(dir)).includes(`! push: no pull request: ${reason}`));
  await publish('Two');
  await until('both are pushed', () => {
    const format = '%(trailers:key=Article-Id,valueonly,separator=%x2C)';
    const { length } = clones.git('log', `--format=${format}`, BRANCH).split('\n').filter(Boolean);
    return length === 2;
  });
  t.is((await statusOf(receiver)).lastError, null);
  server.fail = undefined;
  await until('a pull request is open', () => server.pulls[0]?.title === '2 articles');
  await until('nothing is wrong', async () => (await review())?.error === null);
});

test('a pull request that another receiver opens at this moment is taken over', async (t) => {
  const { server, publish } = await reviewedSite(t, 'gitlab');
  const { push } = server.pulls;
  // The list is asked before the other one is there.
  let isFirst = true;
  server.pulls.filter = (...args: Parameters<typeof Array.prototype.filter>) => {
    const found = Array.prototype.filter.apply(server.pulls, args);
    if (isFirst)
      push.call(server.pulls, {
        number: 1,
        title: 'Another receiver’s',
        body: '',
        head: BRANCH,
        base: 'main',
        state: 'open',
        sha: '',
        repo: 7,
      });
    isFirst = false;
    return found;
  };
  await publish('One');
  await until('its text is ours', () => server.pulls[0]?.title === 'Article: One');
  t.is(server.pulls.length, 1);
});

test('no pull request without a branch for it, or at level push', async (t) => {
  const dir = tempDir(t);
  const started = async (config: object) => {
    const all = { siteUrl: 'https://garden.example', site: false, ...config };
    fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify(all));
    return (await run(['start', '--dir', dir, '--port', '0'])).stderr;
  };
  const push = { pullRequest: 'github', branch: BRANCH };
  t.regex(await started({ git: { push: { pullRequest: 'github' } } }), /pullRequest needs git\.push\.branch/);
  t.regex(await started({ durability: 'push', git: { push } }), /cannot be had with durability: 'push'/);
});

test('titles are foreign: they end no code span, break no list and name nobody', (t) => {
  const { title, body } = textOf([
    { article: { title: 'Draft:`@olga`\n/close #1', url: 'https://garden.example/a/' }, isUpdate: true },
  ]);
  t.is(title, 'Article: Draft:`@olga` /close #1');
  t.regex(body, /^- Update: `Draft:’@olga’ \/close #1` \(https:\/\/garden\.example\/a\/\)$/m);
  const many = textOf(
    Array.from({ length: 130 }, () => ({ article: { title: 'x'.repeat(500), url: 'u' }, isUpdate: false })),
  );
  t.is(many.title, '130 articles');
  t.regex(many.body, /^- and 30 more$/m);
  t.true(many.body.length < 65_536, 'GitHub takes no longer one');
});
