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
