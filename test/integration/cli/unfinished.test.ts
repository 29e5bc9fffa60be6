import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { run, SITE_URL, startReceiver } from '../../support/receiver.js';
import { SECRET } from '../../support/signer.js';
import { storeOnly } from '../../support/store-only.js';
import { tempDir } from '../../support/temp-dir.js';

const ENV = { PRESSMARK_SECRET: SECRET, PRESSMARK_SITE_URL: SITE_URL, PORT: '0' };

/** A site with one plugin. */
function siteWith(t: Parameters<typeof tempDir>[0], plugin: string): string {
  const dir = tempDir(t);
  fs.mkdirSync(join(dir, 'plugins'));
  fs.writeFileSync(join(dir, 'plugins/odd.mjs'), plugin);
  return dir;
}

/** Makes the time limits of the process short, so that a test need not wait for them. */
const IN_A_HURRY = `const set = globalThis.setTimeout;
globalThis.setTimeout = (work, ms, ...rest) => set(work, Math.min(ms, 50), ...rest);`;

/** Leaves the process nothing to wait for. */
const UNWATCHED = `const set = globalThis.setTimeout;
globalThis.setTimeout = (...all) => set(...all).unref();`;

const NEVER = `new Promise(() => {})`;

for (const command of ['start', 'build', 'doctor'] as const) {
  test(`${command} names a plugin that is never set up, and fails`, async (t) => {
    const dir = siteWith(t, `${IN_A_HURRY}\nexport default { name: 'odd', setup: () => ${NEVER} };`);
    const { code, stdout, stderr } = await run([command, '--dir', dir], ENV);
    t.is(code, 1);
    t.regex(
      `${stdout}${stderr}`,
      /plugin odd \(plugins\/odd\.mjs\) is not set up after 10 s; its setup\(\) must/,
    );
  });

  test(`${command} fails where a plugin ends the process`, async (t) => {
    const dir = siteWith(t, `export default { name: 'odd', setup: () => process.exit() };`);
    const { code, stderr } = await run([command, '--dir', dir], ENV);
    t.is(code, 1);
    t.regex(stderr, new RegExp(`^pressmark: ${command} ended before it was done; `, 'm'));
  });
}

test('a command fails where nothing is left to wait for before it is done', async (t) => {
  const dir = siteWith(t, `${UNWATCHED}\nexport default { name: 'odd', setup: () => ${NEVER} };`);
  const { code, stderr } = await run(['build', '--dir', dir], ENV);
  t.is(code, 1);
  t.regex(stderr, /^pressmark: build ended before it was done; /m);
});

test('a command that has failed ends, whatever a plugin has left behind', async (t) => {
  const dir = siteWith(
    t,
    `export default { name: 'odd', setup() { setInterval(() => {}, 1e6); throw new Error('no key'); } };`,
  );
  const { code, stderr } = await run(['build', '--dir', dir], ENV);
  t.is(code, 1);
  t.regex(stderr, /plugin odd .*no key/);
});

for (const command of ['build', 'doctor'] as const) {
  test(`${command} ends when it is done, whatever a plugin has left behind`, async (t) => {
    const dir = siteWith(t, `export default { name: 'odd', setup() { setInterval(() => {}, 1e6); } };`);
    const { stdout } = await run([command, '--dir', dir], ENV);
    t.regex(stdout, command === 'build' ? /pages .* built/ : /✓ site URL/);
  });
}

test('a command ends when it is done, whatever the config has left behind', async (t) => {
  const dir = tempDir(t);
  fs.writeFileSync(join(dir, 'pressmark.config.mjs'), 'setInterval(() => {}, 1e6);\nexport default {};');
  for (const command of [['list'], ['status'], ['work', '--once']])
    t.is((await run([...command, '--dir', dir], ENV)).code, 0);
});

test('a receiver that a plugin ends logs it, and does not end with 0', async (t) => {
  const dir = siteWith(
    t,
    `export default { name: 'odd', setup: (host) => host.router.get('/end', () => process.exit()) };`,
  );
  const receiver = await startReceiver(t, { dir: storeOnly(dir) });
  await t.throwsAsync(fetch(`${receiver.origin}/end`));
  t.is(await receiver.stop(), 1);
  const line = receiver.log.find(({ level }) => level === 60);
  t.is(line?.msg, 'the receiver ends without having been asked to stop');
  t.regex(JSON.stringify(line), /odd\.mjs/);
});
