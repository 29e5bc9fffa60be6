import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { bareEnvironment, PROGRAM, run, SITE_URL, startReceiver } from '../../support/receiver.js';
import { SECRET } from '../../support/signer.js';
import { storeOnly } from '../../support/store-only.js';
import { folderWith, tempDir } from '../../support/temp-dir.js';
import { withPlugins } from '../../support/with-plugins.js';

const ENV = { PRESSMARK_SECRET: SECRET, PRESSMARK_SITE_URL: SITE_URL, PORT: '0' };

/** A site whose one plugin is set up by this code. */
const siteWith = (t: ExecutionContext, setup: string) =>
  withPlugins(storeOnly(tempDir(t)), { odd: `export default { name: 'odd', receiver(host) { ${setup} } };` });

// In the same way a command fails where a plugin ends the process. Where pages are made, the limit is that of test/unit/host.
test('a command fails where a plugin is never set up and leaves nothing to wait for', async (t) => {
  const setup =
    'const set = setTimeout; globalThis.setTimeout = (...all) => set(...all).unref(); return new Promise(() => {});';
  const { code, stderr } = await run(['doctor', '--dir', siteWith(t, setup)], ENV);
  t.is(code, 1);
  t.regex(stderr, /^pressmark: doctor ended before it was done; /m);
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

test('a build whose reader goes away, as with 2>&1 | head, is finished', (t) => {
  const config = { siteUrl: SITE_URL, git: false, generator: 'markdown-folder' };
  // More than a pipe holds.
  const build = 'yes a line of the build | head -n 20000; mkdir -p public; echo done > public/index.html';
  const dir = folderWith(t, { 'pressmark.config.json': JSON.stringify({ ...config, build }) });
  execFileSync('sh', ['-c', '"$0" "$1" build --dir "$2" 2>&1 | head -n 1', process.execPath, PROGRAM, dir], {
    env: bareEnvironment(),
  });
  t.true(fs.existsSync(join(dir, 'public/index.html')));
});

test('output that cannot be written, as on a full disk, is an error in one line', (t) => {
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM, 'completion', 'bash'], {
    env: bareEnvironment(),
    encoding: 'utf8',
    stdio: ['ignore', fs.openSync('/dev/full', 'w'), 'pipe'],
  });
  t.is(status, 1);
  t.is(stderr, 'pressmark: the output cannot be written: ENOSPC: no space left on device, write\n');
});
