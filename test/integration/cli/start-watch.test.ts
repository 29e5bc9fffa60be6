import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { bareEnvironment, PROGRAM, SITE_URL } from '../../support/receiver.js';
import { SECRET } from '../../support/signer.js';
import { storeOnly } from '../../support/store-only.js';
import { tempDir } from '../../support/temp-dir.js';
import { soon, until } from '../../support/until.js';

const plugin = (word: string) => `export default { name: 'said', receiver(host) {
  host.addAction('host.ready', () => host.log.info('${word}'));
  host.onClose(() => new Promise((resolve) => setTimeout(resolve, 300)));
} };`;

test('start --watch runs a plugin anew after each change, waits where it is broken, and stops in good order', async (t) => {
  const dir = storeOnly(tempDir(t));
  const file = join(dir, 'plugins/said.mjs');
  fs.mkdirSync(join(dir, 'plugins'));
  fs.writeFileSync(file, plugin('the first word'));
  const child = spawn(process.execPath, [PROGRAM, 'start', '--watch', '--dir', dir, '--port', '0'], {
    env: { ...bareEnvironment(), PRESSMARK_SECRET: SECRET, PRESSMARK_SITE_URL: SITE_URL },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  t.teardown(() => child.kill('SIGTERM'));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const says = (text: string) => until(`it says ${text}: ${output}`, () => output.includes(text));
  await says('the first word');
  fs.writeFileSync(file, 'export default {');
  await says('plugin "plugins/said.mjs" cannot be loaded');
  await says('the receiver ended with 1; it starts again after a change');
  fs.writeFileSync(file, plugin('the second word'));
  await says('the second word');
  const ended = once(child, 'close');
  // As Ctrl-C does, to all processes that the terminal runs.
  execFileSync('sh', ['-c', `kill -s INT -- -${child.pid}`]);
  await soon('it ends', ended);
  t.is(child.exitCode, 0, output);
  t.is(output.match(/"msg":"stopped"/g)?.length, 2);
});
