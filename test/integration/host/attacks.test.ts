import test from 'ava';
import { createTestSite } from 'pressmark/testing';

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
