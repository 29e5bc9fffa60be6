import test, { type ExecutionContext } from 'ava';
import { openTargets } from '../../../../src/app/deploy.js';
import { loadSettings } from '../../../../src/config/load.js';
import { type HookOptions, hookTarget } from '../../../../src/deploy/targets/hook.js';
import { reply, startEndpoint } from '../../../support/endpoint.js';
import { folderWith } from '../../../support/temp-dir.js';

const { signal } = new AbortController();
const OUTPUT = { folder: '/nowhere' };
const commits = { folder: () => OUTPUT.folder, version: () => 'c0ffee' };

/** A host that answers with a status. */
async function host(t: ExecutionContext, status: number, headers: Readonly<Record<string, string>> = {}) {
  const { got, origin } = await startEndpoint(t, reply(status, '{}', headers));
  const url = `${origin}/build_hooks/5ec1e7`;
  const target = (over: Partial<HookOptions> = {}) => hookTarget({ url, commits, ...over });
  return { asked: got, target, url };
}

test('the hook is posted to, with a token where there is one', async (t) => {
  const { asked, target } = await host(t, 204);
  await target().deploy(OUTPUT, signal);
  await target({ token: 't0ken' }).deploy(OUTPUT, signal);
  t.deepEqual(
    asked.map(({ method, headers, body }) => [method, headers.authorization, JSON.parse(String(body))]),
    [
      ['POST', undefined, { event_type: 'pressmark' }],
      ['POST', 'Bearer t0ken', { event_type: 'pressmark' }],
    ],
  );
});

for (const [status, message] of [
  [404, /answered 404/],
  [301, /a redirect; set PRESSMARK_DEPLOY_HOOK/],
] as const)
  test(`an answer of ${status} is a failure, whose message has not the URL`, async (t) => {
    const { asked, target } = await host(t, status, { Location: 'http://127.0.0.1:1/' });
    const error = await t.throwsAsync(target().deploy(OUTPUT, signal), { code: 'DEPLOY_FAILED', message });
    t.false(error?.message.includes('5ec1e7'));
    t.is(asked.length, 1);
  });

test('a name and a password in the URL are sent as a header, and a token is sent to https alone', async (t) => {
  const { asked, target, url } = await host(t, 200);
  await target({ url: url.replace('//', '//ci:p%40ss@') }).deploy(OUTPUT, signal);
  t.is(asked[0]?.headers.authorization, `Basic ${Buffer.from('ci:p@ss').toString('base64')}`);
  const open = target({ url: 'http://ci.example/build', token: 't0ken' });
  await t.throwsAsync(open.deploy(OUTPUT, signal), { code: 'DEPLOY_FAILED', message: /use https/ });
});

test('the message about a hook that cannot be reached, or is no URL, has not the URL', async (t) => {
  for (const [url, code] of [
    ['http://user:p4ss@127.0.0.1:1/5ec1e7', 'UNREACHABLE'],
    ['p4ss', 'DEPLOY_FAILED'],
  ] as const) {
    const target = hookTarget({ url, commits });
    const error = await t.throwsAsync(target.deploy(OUTPUT, signal), { code });
    t.notRegex(error?.message ?? '', /5ec1e7|p4ss/);
  }
});

test('a hook where nothing is committed is refused: no host would build anything', async (t) => {
  const config = { siteUrl: 'https://garden.example', git: false, deploy: { hook: true } };
  const dir = folderWith(t, { 'pressmark.config.json': JSON.stringify(config) });
  const settings = await loadSettings(dir, {}, { PRESSMARK_DEPLOY_HOOK: 'https://host.example/hook' });
  await t.throwsAsync(openTargets(settings, false), {
    code: 'CONFIG_INVALID',
    message: /nothing is committed here/,
  });
});
