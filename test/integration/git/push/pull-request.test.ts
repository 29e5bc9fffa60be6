import fs from 'node:fs';
import { basename, join } from 'node:path';
import test from 'ava';
import { pino } from 'pino';
import { checkGitSettings, PUSH_STATUS } from '../../../../src/app/git-settings.js';
import type { Article } from '../../../../src/article/article.js';
import { readFacts } from '../../../../src/deploy/facts.js';
import { checkContentFolder } from '../../../../src/git/content-folder.js';
import { follow } from '../../../../src/git/push/follow.js';
import { keepPullRequest, textOf } from '../../../../src/git/push/pull-request.js';
import { createPushStatus, readPushStatus } from '../../../../src/git/push/push-status.js';
import { openRepository } from '../../../../src/git/repository.js';
import {
  commitAndPush,
  commitFile,
  committedIds,
  gitEnvironment,
  gitIn,
  inClone,
  makeRemote,
} from '../../../support/clones.js';
import { startEndpoint } from '../../../support/endpoint.js';
import { article } from '../../../support/events.js';
import { runHere } from '../../../support/in-process.js';
import { type ReceiverHere, startHere } from '../../../support/receiver-here.js';
import { startReviewServer } from '../../../support/review-server.js';
import { afterAll } from '../../../support/teardown.js';
import { tempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';
import { configure, statusOf, untilNoted } from './pushing-site.js';

const TOKEN = 'token-for-pull-requests';
const BRANCH = 'pressmark/articles';

const lasting = afterAll(test);

/** A clone that pushes to a branch of its own, and the host of its remote. How hosts differ is tested with `review-host`. */
async function reviewedSite(more: Record<string, unknown> = {}, env: NodeJS.Dict<string> = {}) {
  const folder = tempDir(lasting);
  const clones = makeRemote(folder);
  const project = `${basename(folder)}/remote`;
  const tipOf = (branch: string) => {
    const file = join(clones.remote, 'refs', 'heads', branch);
    return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim() : undefined;
  };
  const server = await startReviewServer(lasting, { kind: 'github', project, token: TOKEN, tipOf });
  const dir = clones.clone('site');
  configure(dir, { push: { debounce: 50, branch: BRANCH, pullRequest: 'github', api: server.api } }, more);
  fs.writeFileSync(join(dir, '.git', 'info', 'exclude'), '.gitconfig\n.env\n');
  fs.writeFileSync(join(dir, '.env'), `PRESSMARK_GIT_TOKEN=${TOKEN}\n`);
  gitIn(dir, 'update-index', '--assume-unchanged', 'pressmark.config.json');
  const start = () => startHere(lasting, inClone(dir, { env }));
  return { clones, server, dir, start };
}

async function publish({ post }: ReceiverHere, title: string): Promise<void> {
  const { status } = await post('article.published', article({ title, slug: title }));
  if (status !== 200) throw new Error(`publish: ${status}`);
}

const review = async (receiver: ReceiverHere) => (await statusOf(receiver)).pullRequest;
const doctor = async (dir: string) => (await runHere(['doctor', '--dir', dir])).stdout;
const status = async (dir: string) => (await runHere(['status', '--dir', dir])).stdout;
const list = async (dir: string) => (await runHere(['list', '--dir', dir])).stdout;

// One story of one site, in its order.
const site = reviewedSite();
let receiver: ReceiverHere;

test.serial('a host that fails is reported and asked again; deliveries and pushes go on', async (t) => {
  const { clones, server, dir, start } = await site;
  receiver = await start();
  server.fail = { status: 503, body: { message: 'down for a moment' } };
  await publish(receiver, 'One');
  const reason = 'GitHub answered 503: down for a moment';
  await until('it is reported', async () => (await review(receiver))?.error === reason);
  await until('the log says so', () =>
    receiver.log.some(({ level, reason: why }) => level === 40 && why === reason),
  );
  await untilNoted(dir, 'the host failed', ({ pullRequest }) => pullRequest?.error === reason);
  t.true((await status(dir)).includes(`review    ${reason}`));
  t.true((await doctor(dir)).includes(`✗ review: ${reason}`));
  await publish(receiver, 'Two');
  await until('both are pushed', () => committedIds(clones.remote, BRANCH).length === 2);
  t.is((await statusOf(receiver)).lastError, null);
});

test.serial(
  'one pull request lists the waiting articles; after it is merged, the next article opens another one',
  async (t) => {
    const { clones, server, dir } = await site;
    server.fail = undefined;
    await until('both are listed', () => server.pulls[0]?.title === '2 articles');
    t.is(server.pulls.length, 1);
    t.like(server.pulls[0], { title: '2 articles', head: BRANCH, base: 'main' });
    t.regex(server.pulls[0]?.body ?? '', /^- New: `One` \(https:.*\)\n- New: `Two` \(https:.*\)$/m);
    await until('the receiver knows it', async () => (await review(receiver))?.url === server.url(1));
    await untilNoted(dir, 'it is open', ({ pullRequest }) => pullRequest?.url === server.url(1));
    t.true((await status(dir)).includes(`review    2 articles wait for review: ${server.url(1)}`));
    t.is((await list(dir)).match(/\(waits for review\)/g)?.length, 2);

    // as a host merges it
    gitIn(clones.clone('olga'), 'push', '--quiet', 'origin', `origin/${BRANCH}:main`);
    for (const pull of server.pulls) pull.state = 'merged';
    await publish(receiver, 'Three');
    await until('another one is open', () => server.pulls.length === 2);
    t.like(server.pulls[1], { title: 'Article: Three', state: 'open' });
    t.is(server.pulls[0]?.title, '2 articles');
    await until('the receiver knows that one', async () => (await review(receiver))?.url === server.url(2));
    await until('list says so', async () => (await list(dir)).match(/\(waits for review\)/g)?.length === 1);
    t.false(JSON.stringify(receiver.log).includes(TOKEN));
  },
);

test.serial(
  'a pull request that was closed is not opened again before another article comes, not even by a start',
  async (t) => {
    const { clones, server, dir, start } = await site;
    for (const pull of server.pulls) pull.state = 'closed';
    const olga = join(clones.remote, '..', 'olga');
    gitIn(olga, 'pull', '--quiet', '--rebase');
    commitAndPush(olga, 'while-closed.txt', 'on main\n');
    // The first start merges that commit, and the second one pushes the merge.
    for (const _ of ['first', 'second']) {
      await receiver.close();
      const asked = server.requests.length;
      receiver = await start();
      await until('the host was asked', () => server.requests.length > asked);
      await until('the receiver knows', async () => (await review(receiver))?.url === null);
      await until('the work tree follows', () => fs.existsSync(join(dir, 'while-closed.txt')));
      t.is(server.pulls.length, 2);
    }
    await publish(receiver, 'Four');
    await until('another one is open', () => server.pulls.length === 3);
    t.is(server.pulls[2]?.title, '2 articles', 'what was closed still waits');
  },
);

test.serial(
  'what was merged as one other commit does not wait; that commit and a reviewer’s come into the work tree',
  async (t) => {
    const { clones, server, dir } = await site;
    const olga = join(clones.remote, '..', 'olga');
    gitIn(olga, 'pull', '--quiet');
    gitIn(olga, 'merge', '--quiet', '--squash', `origin/${BRANCH}`);
    fs.writeFileSync(join(olga, 'merged.txt'), 'on main\n');
    gitIn(olga, 'add', '.');
    gitIn(olga, 'commit', '--quiet', '-m', 'Articles');
    gitIn(olga, 'push', '--quiet', 'origin', 'main');
    for (const pull of server.pulls) pull.state = 'merged';
    await publish(receiver, 'Five');
    await until('another one is open', () => server.pulls.length === 4);
    t.is(server.pulls[3]?.title, 'Article: Five');
    await until('the work tree has it', () => fs.existsSync(join(dir, 'merged.txt')));

    gitIn(olga, 'fetch', '--quiet');
    gitIn(olga, 'checkout', '--quiet', '-B', BRANCH, `origin/${BRANCH}`);
    commitAndPush(olga, 'review.txt', 'looks good\n');
    await publish(receiver, 'Six');
    await until('it lists both', () => server.pulls[3]?.title === '2 articles');
    await until('the work tree has it', () => fs.existsSync(join(dir, 'review.txt')));
  },
);

test.serial(
  'the deploy hook and the live check wait for the merge, and what waits for review is no trouble',
  async (t) => {
    const onMain: string[] = [];
    const hook = await startEndpoint(lasting, (_, response) => {
      onMain.push(clones.git('log', '--format=%s', 'main'));
      response.end();
    });
    let served = '';
    const published = await startEndpoint(lasting, ({ path }, response) => {
      const page = join(served, path, 'index.html');
      if (fs.existsSync(page)) response.end(fs.readFileSync(page));
      else response.writeHead(404).end();
    });
    const { clones, server, dir, start } = await reviewedSite(
      { site: { search: false }, deploy: { hook: true }, liveCheck: true },
      { PRESSMARK_SITE_URL: published.origin, PRESSMARK_DEPLOY_HOOK: hook.url },
    );
    const facts = () => readFacts(join(dir, '.pressmark'));
    const pagesAsked = () => published.got.map(({ path }) => path);
    receiver = await start();
    await publish(receiver, 'One'); // before it has fetched the base branch
    await until('the hook is called for what is there at the start', () => onMain.length === 1);
    await until('it is in review', () => server.pulls[0]?.title === 'Article: One');
    await until('that is noted', () => facts().awaited[0]?.review === 'waiting');
    const answered = facts().awaited[0]?.at ?? '';
    await receiver.close();

    gitIn(clones.clone('olga'), 'push', '--quiet', 'origin', `origin/${BRANCH}:main`);
    for (const pull of server.pulls) pull.state = 'merged';
    t.is(onMain.length, 1, 'the review branch builds nothing');
    t.deepEqual(pagesAsked(), []);
    receiver = await start();
    await until('the hook is called after the merge', () => onMain.length === 2);
    t.regex(onMain[1] ?? '', /^Publish: One$/m);
    await until('the page is looked for', () => facts().awaited[0]?.found !== undefined);
    t.true((facts().awaited[0]?.at ?? '') > answered, 'it is late only some time after the merge');

    await publish(receiver, 'Two');
    await until('the next one is in review', () => server.pulls[1]?.title === 'Article: Two');
    await until('that is noted', () => facts().awaited.some(({ review: state }) => state === 'waiting'));
    for (const pull of server.pulls) if (pull.state === 'open') pull.state = 'closed';
    served = join(dir, 'public');
    await receiver.close();
    receiver = await start();
    await until('the merged one is live', () => facts().live !== undefined);
    await until('what was closed is not looked for', () => facts().awaited.length === 1);
    t.false(pagesAsked().some((path) => path.includes('two')));
    t.is(onMain.length, 2, 'nothing else was merged');
    t.true((await status(dir)).includes('waits for review; delivered'));
    t.is((await list(dir)).match(/\(waits for review\) \(not seen live yet\)/g)?.length, 1);
    t.false(receiver.log.some(({ msg }) => msg === 'an article is not live'));
  },
);

test('an article that a reviewer has changed and merged as one commit does not wait, and no person has to merge', async (t) => {
  const { clones, server, dir } = await reviewedSite();
  const env = gitEnvironment(dir);
  const repository = await openRepository(dir, env);
  if (repository.kind !== 'repository') throw new Error('no repository');
  const place = await checkContentFolder(repository, 'content/');
  if (place.kind !== 'inside') throw new Error(place.why);
  const pushed = commitFile(dir, 'content/a.md', 'as delivered\n');
  gitIn(dir, 'push', '--quiet', 'origin', `main:${BRANCH}`);
  const olga = clones.clone('olga');
  gitIn(olga, 'checkout', '--quiet', BRANCH);
  const shared = [commitAndPush(olga, 'content/a.md', 'as reviewed\n')];
  gitIn(olga, 'checkout', '--quiet', 'main');
  gitIn(olga, 'merge', '--quiet', '--squash', BRANCH);
  gitIn(olga, 'commit', '--quiet', '-m', 'Article');
  gitIn(olga, 'push', '--quiet', 'origin', 'main');
  const status = createPushStatus(join(dir, '.pressmark', PUSH_STATUS));
  const request = keepPullRequest({
    place,
    branch: BRANCH,
    pullRequest: 'github',
    api: server.api,
    token: TOKEN,
    remote: 'origin',
    env,
    status,
    log: pino({ level: 'silent' }),
    decode: async () => ({ article: { title: 'A' } as Article }),
    follow: (commit, ref) =>
      follow(commit, {
        repository,
        author: undefined,
        sign: false,
        ref,
        shared,
        whileLocked: (work) => work(),
      }),
    onMerged: () => undefined,
  });
  request.pushed(pushed);
  await until('it has looked', () => status.now.pullRequest !== null);
  await request.close();
  t.deepEqual(status.now.pullRequest, { url: null, error: null });
  t.is(server.pulls.length, 0);
  t.is(fs.readFileSync(join(dir, 'content/a.md'), 'utf8'), 'as reviewed\n');
});

test.serial('a stop while the host is asked is no trouble with the host', async (t) => {
  const { dir, start } = await reviewedSite();
  const { got, origin } = await startEndpoint(lasting, () => undefined); // never answers
  configure(dir, { push: { debounce: 50, branch: BRANCH, pullRequest: 'github', api: origin } });
  const one = await start();
  await publish(one, 'One');
  await until('the host is asked', () => got.length > 0);
  await one.close();
  t.is(readPushStatus(join(dir, '.pressmark', PUSH_STATUS))?.pullRequest?.error ?? null, null);
  t.false(one.log.some(({ msg }) => msg.includes('pull request')));
});

test('no pull request without a branch for it, or at level push', (t) => {
  const checked = (durability: 'disk' | 'push', push: { branch?: string }) => () =>
    checkGitSettings({
      durability,
      git: { push: { debounce: 0, fetchEvery: 0, pullRequest: 'github', ...push } },
    });
  t.throws(checked('disk', {}), { code: 'CONFIG_INVALID', message: /pullRequest needs git\.push\.branch/ });
  t.throws(checked('push', { branch: BRANCH }), {
    code: 'CONFIG_INVALID',
    message: /cannot be combined with durability: 'push'/,
  });
  t.notThrows(checked('disk', { branch: BRANCH }));
});

test('titles are foreign: they end no code span, break no list and name nobody', (t) => {
  const { title, body } = textOf([
    { article: { title: 'Draft:`@olga`\n/close #1', url: 'https://garden.example/a/' }, isUpdate: true },
  ]);
  t.is(title, 'Article: Draft:`@olga` /close #\u20601'); // a merge may make a commit's subject of it
  t.regex(body, /^- Update: `Draft:’@olga’ \/close #1` \(https:\/\/garden\.example\/a\/\)$/m);
  const many = textOf(
    Array.from({ length: 130 }, () => ({ article: { title: 'x'.repeat(500), url: 'u' }, isUpdate: false })),
  );
  t.is(many.title, '130 articles');
  t.regex(many.body, /^- and 30 more$/m);
  t.true(many.body.length < 65_536, 'GitHub takes no longer one');
});
