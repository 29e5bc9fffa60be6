import test, { type ExecutionContext } from 'ava';
import type { Face } from '../../../src/host/hooks/hook-types.js';
import { run, SITE_URL, startReceiver } from '../../support/receiver.js';
import { SECRET } from '../../support/signer.js';
import { storeOnly } from '../../support/store-only.js';
import { tempDir } from '../../support/temp-dir.js';
import { withPlugins } from '../../support/with-plugins.js';

const ENV = { PRESSMARK_SECRET: SECRET, PRESSMARK_SITE_URL: SITE_URL, PORT: '0' };

/** A site whose one plugin is set up by this code, in the receiver or where pages are made. */
function siteWith(t: ExecutionContext, setup: string, face: Face = 'receiver'): string {
  const dir = face === 'receiver' ? storeOnly(tempDir(t)) : tempDir(t);
  return withPlugins(dir, { odd: `export default { name: 'odd', ${face}(host) { ${setup} } };` });
}

/** Changes how the time limits of the process are waited for, and is never done. */
const endless = (timer: string) =>
  `const set = setTimeout; globalThis.setTimeout = (work, ms, ...rest) => ${timer}; return new Promise(() => {});`;

for (const [what, command, setup, words] of [
  [
    'is never set up and leaves nothing to wait for',
    'doctor',
    endless('set(work, ms, ...rest).unref()'),
    /^pressmark: doctor ended before it was done; /m,
  ],
  ['ends the process', 'doctor', 'process.exit();', /^pressmark: doctor ended before it was done; /m],
  [
    'is never set up where pages are made',
    'build',
    endless('set(work, Math.min(ms, 50), ...rest)'),
    /plugin odd \(plugins\/odd\.mjs\) is not set up after 30 s; its pages\(host\) must/,
  ],
] as const)
  test(`a command fails where a plugin ${what}`, async (t) => {
    const dir = siteWith(t, setup, command === 'build' ? 'pages' : 'receiver');
    const { code, stdout, stderr } = await run([command, '--dir', dir], ENV);
    t.is(code, 1);
    t.regex(`${stdout}${stderr}`, words);
  });

test('a command ends when it is done, whatever a plugin has left behind', async (t) => {
  const doctor = await run(['doctor', '--dir', siteWith(t, 'setInterval(() => {}, 1e6);')], ENV);
  t.regex(doctor.stdout, /✓ site URL/);
});

test('a receiver that ends without having been asked to logs it, and does not end with 0', async (t) => {
  const dir = siteWith(
    t,
    "host.routes((router) => router.get('/end', (context) => context.res.on('finish', () => process.exit())));",
  );
  const receiver = await startReceiver(t, { dir });
  await fetch(`${receiver.origin}/-/odd/end`).catch(() => undefined);
  await receiver.ended;
  t.is(await receiver.stop(), 1);
  const line = receiver.log.find(({ level }) => level === 60);
  t.is(line?.msg, 'the receiver ends, though no signal asked it to stop');
  t.regex(JSON.stringify(line), /odd\.mjs/);
});
