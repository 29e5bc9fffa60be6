import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createReviewHost, REVIEW_HOSTS, type ReviewHostKind } from '../../../../src/git/push/review-host.js';
import { type ReviewServer, startReviewServer } from '../../../support/review-server.js';

const TOKEN = 'token-for-pull-requests';
const PROJECT = 'olga/garden';
const BRANCHES = { head: 'pressmark/articles', base: 'main' };
const TEXT = { title: '1 article', body: 'It waits.\n' };

/** A host whose repository has two branches. */
async function hosted(t: ExecutionContext, kind: ReviewHostKind, token = TOKEN) {
  const tips = new Map([
    ['main', 'a'.repeat(40)],
    [BRANCHES.head, 'b'.repeat(40)],
  ]);
  const tipOf = (branch: string) => tips.get(branch);
  const server = await startReviewServer(t, { kind, project: PROJECT, token: TOKEN, tipOf });
  const remoteUrl = `git@ssh.example:${PROJECT}.git`;
  return { server, tips, host: createReviewHost({ kind, remoteUrl, api: server.api, token }) };
}

for (const kind of REVIEW_HOSTS) {
  test(`${kind}: a pull request is opened, found, changed, and found when it is closed`, async (t) => {
    const { server, host, tips } = await hosted(t, kind);
    t.is(await host.newest(BRANCHES), undefined);
    const made = await host.create(BRANCHES, TEXT);
    const commit = 'b'.repeat(40);
    t.deepEqual(made, { number: 1, url: server.url(1), isOpen: true, ...TEXT, commit });
    await host.update(1, { title: '2 articles', body: '' });
    t.deepEqual(await host.newest(BRANCHES), { ...made, title: '2 articles', body: '' });
    for (const pull of server.pulls) pull.state = 'merged';
    const later = 'c'.repeat(40);
    tips.set(BRANCHES.head, later);
    t.deepEqual(await host.newest(BRANCHES), { ...made, title: '2 articles', body: '', isOpen: false });
    t.like(await host.create(BRANCHES, TEXT), { number: 2, commit: later, isOpen: true });
    t.like(await host.newest(BRANCHES), { number: 2 });
  });

  test(`${kind}: an open pull request is found behind many others, and none from a fork's branch of this name`, async (t) => {
    const { server, host } = await hosted(t, kind);
    const add = (number: number, change: object) => {
      const pull = { number, ...TEXT, ...BRANCHES, state: 'closed', sha: 'c'.repeat(40), repo: 7 } as const;
      server.pulls.push({ ...pull, ...change });
    };
    add(1, { state: 'open', repo: 99 });
    t.is(await host.newest(BRANCHES), undefined);
    t.like(await host.create(BRANCHES, TEXT), { number: 2 });
    for (let number = 3; number <= 120; number++)
      add(number, kind === 'gitea' ? { head: `topic-${number}` } : {});
    t.like(await host.newest(BRANCHES), { number: 2, isOpen: true });
  });
}

test('what the host refuses is said in words, without the token, which goes to no other place', async (t) => {
  const wrong = await hosted(t, 'github', 'expired-token');
  await t.throwsAsync(wrong.host.newest(BRANCHES), {
    message:
      / answered 401: .*; is PRESSMARK_GIT_TOKEN valid, and may it write pull requests of olga\/garden\?$/,
  });
  const { server, host } = await hosted(t, 'github');
  await t.throwsAsync(host.create({ head: 'main', base: 'main' }, TEXT), {
    message: /answered 422: Validation Failed; No commits between main and main$/,
  });
  const elsewhere = await hosted(t, 'github');
  const location = `${elsewhere.server.api}/elsewhere`;
  const failures: [ReviewServer['fail'], RegExp][] = [
    [{ status: 403, body: { message: `no: ${TOKEN}` } }, /answered 403: no: \*\*\*; is PRESSMARK_GIT_TOKEN/],
    [{ status: 200, body: { hello: 'world' } }, /something other than a pull request/],
    [{ status: 200, body: [{ number: 'one' }] }, /something other than a pull request/],
    [{ status: 301, headers: { location } }, /answered 301; if olga\/garden has moved/],
  ];
  for (const [fail, message] of failures) {
    server.fail = fail;
    const error = await t.throwsAsync(host.newest(BRANCHES), { code: 'REMOTE_UNAVAILABLE', message });
    t.false(error.message.includes(TOKEN));
  }
  t.deepEqual(elsewhere.server.requests, []);
});

test('the API and the repository follow from the URL of the remote', async (t) => {
  const asked: string[] = [];
  const real = globalThis.fetch;
  globalThis.fetch = async (url) => {
    asked.push(String(url).split('?')[0] ?? '');
    return new Response('[]');
  };
  t.teardown(() => {
    globalThis.fetch = real;
  });
  const cases: [ReviewHostKind, string, string | undefined][] = [
    ['github', 'git@github.com:olga/garden.git', undefined],
    ['github', 'ssh://git@git.corp.example:2222/olga/garden', undefined],
    ['gitlab', 'https://gitlab.com/group/sub/garden.git/', undefined],
    ['gitlab', 'git@gitlab.example:group/garden.git', undefined],
    ['gitlab', 'https://corp.example/gitlab/group/garden.git', 'https://corp.example/gitlab/api/v4'],
    ['gitea', 'https://user:password@codeberg.org:8443/olga/garden.git', undefined],
    ['gitea', join('/srv', 'olga', 'garden.git'), 'https://gitea.example/api/v1/'],
  ];
  for (const [kind, remoteUrl, api] of cases)
    await createReviewHost({ kind, remoteUrl, api, token: TOKEN }).newest(BRANCHES);
  t.deepEqual(asked, [
    'https://api.github.com/repos/olga/garden/pulls',
    'https://git.corp.example/api/v3/repos/olga/garden/pulls',
    'https://gitlab.com/api/v4/projects/group%2Fsub%2Fgarden/merge_requests',
    'https://gitlab.example/api/v4/projects/group%2Fgarden/merge_requests',
    'https://corp.example/gitlab/api/v4/projects/group%2Fgarden/merge_requests',
    'https://codeberg.org:8443/api/v1/repos/olga/garden/pulls',
    'https://gitea.example/api/v1/repos/olga/garden/pulls',
  ]);
});

test('what is missing or would send the token readable to others is refused', (t) => {
  const remoteUrl = 'https://git.example/olga/garden.git';
  const refused = (change: object, message: RegExp) =>
    t.throws(() => createReviewHost({ kind: 'gitea', remoteUrl, token: TOKEN, ...change }), {
      code: 'CONFIG_INVALID',
      message,
    });
  refused({ token: undefined }, /PRESSMARK_GIT_TOKEN is not set/);
  refused({ token: 'two\nlines' }, /characters that no token has/);
  refused({ remoteUrl: 'http://git.example/olga/garden.git' }, /http:\/\/.*readable to others/);
  refused({ remoteUrl: '/srv/olga/garden.git' }, /git\.push\.api must be set/);
  refused({ remoteUrl: 'https://git.example/garden.git' }, /names no repository of an owner/);
});
