import test from 'ava';
import { createTestSite } from 'pressmark/testing';

/*
 * The attacks of the first review of the plugin host, and the test that makes each:
 *
 *  1 throws in its set-up | unit/host/host
 *  2 adds to a hook that does not exist | unit/host/hooks
 *  3 has no default export | unit/host/host
 *  4 has the name of another one | unit/host/host
 *  5 makes a file that another one makes | unit/host/host
 *  6 gets options that its schema refuses | unit/host/host
 *  7 gets options and takes none | unit/host/host
 *  8 does not parse: the line is named | here
 *  9 does not exist, or throws while it is loaded | packages
 * 10 never ends its set-up: the start | unit/host/host
 * 11 never ends its set-up, in the receiver or where pages are made: build and doctor do not exit 0 | ../cli/unfinished
 * 12 filters a draft and throws | bad-plugins
 * 13 filters a draft and never ends | bad-plugins
 * 14 filters a draft into nonsense | bad-plugins, unit/host/filter-results
 * 15 spins in a filter for longer than a second, in the receiver or where pages are made | bad-plugins
 * 16 filters a slug into an object | unit/host/filter-results
 * 17 filters a commit message into a number | unit/git/commit/message, unit/host/filter-results
 * 18 filters the context of a page into a number | unit/host/filter-results; what this costs a page: ../site/filters
 * 19 filters the context of a page into one with nulls | unit/host/filter-results
 * 20 filters a page into a number | unit/host/filter-results
 * 21 filters a head into an object | unit/host/filter-results
 * 22 filters the items of a feed into nonsense | unit/host/filter-results
 * 23 calls process.exit in an action | bad-plugins
 * 24 calls process.exit in a filter | bad-plugins
 * 25 calls process.exit where pages are made | bad-plugins; after another generator: ../deploy/plugin-pages
 * 26 leaves a promise rejected in the receiver | bad-plugins
 * 27 leaves a promise rejected where pages are made | bad-plugins; after another generator: ../deploy/plugin-pages
 * 28 throws in a timer in the receiver | bad-plugins
 * 29 throws in a timer where pages are made | bad-plugins; after another generator: ../deploy/plugin-pages
 * 30 takes all memory with a few deliveries | bad-plugins
 * 31 leaves an interval running | bad-plugins
 * 32 never ends its onClose | unit/host/host
 * 33 never ends an action | unit/host/hooks
 * 34 never ends an action before all others: pages and commits | slow-actions
 * 35 never ends a filter of pages | unit/host/hooks
 * 36 has a route at /webhook | here
 * 37 has a route at /healthz | here
 * 38 has the routes of another one | here
 * 39 moves the prefix of its router | here
 * 40 blocks its router by a middleware | here
 * 41 has a route for everything | here
 * 42 has a route that never answers | unit/host/routes
 * 43 changes the context of a page in place | ../site/filters
 * 44 adds to a hook after the start | unit/host/host
 */

const start = (receiver: string, name = 'x') =>
  createTestSite({
    files: {
      [`plugins/${name}.mjs`]: `export default { name: '${name}', receiver(host) {\n${receiver}\n} };`,
    },
    config: { site: false },
  });

for (const [what, code, message] of [
  [
    'a route for everything',
    'host.routes((router) => router.get(/.*/, () => {}));',
    'plugin x: its route GET /.*/ is not below /-/x/; write its path as a text, and leave the prefix of the router as it is',
  ],
  [
    'a router with another prefix',
    "host.routes((router) => { router.get('/mine', () => {}); router.prefix('/webhook'); });",
    'plugin x: its route GET /webhook/mine is not below /-/x/; write its path as a text, and leave the prefix of the router as it is',
  ],
  [
    'a route without the prefix',
    "host.routes((router) => { router.opts.prefix = ''; router.all('/healthz', () => {}); });",
    /^plugin x: its route \w+ \/healthz is not below/,
  ],
  [
    'an adapter at the health check',
    "host.adapter({ path: '/healthz', verify: () => true, routes: { 'GET /a': () => 1 } });",
    /^plugin x: .*that of the health check/,
  ],
  [
    'a mistake in its code',
    'host.routes((router => ;',
    /^plugin "plugins\/x\.mjs" cannot be loaded: .* \(line 2\)$/,
  ],
] as const)
  test(`a plugin with ${what} is refused at the start`, async (t) => {
    await t.throwsAsync(start(code), { code: 'PLUGIN_INVALID', message });
  });

test('a middleware of one plugin is in the way of its own routes alone', async (t) => {
  const routes = (name: string, more: string) =>
    `export default { name: '${name}', receiver: (host) => host.routes((router) => {
      ${more} router.get('/list', (context) => { context.body = '${name}'; }); }) };`;
  const site = await createTestSite({
    files: {
      'plugins/a.mjs': routes('a', "router.use((context) => { context.body = 'blocked'; });"),
      'plugins/b.mjs': routes('b', ''),
    },
    config: { site: false },
  });
  t.teardown(site.close);
  t.is(await (await site.fetch('/-/a/list')).text(), 'blocked');
  t.is(await (await site.fetch('/-/b/list')).text(), 'b');
});
