import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { bareEnvironment, PROGRAM } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';

test('a reader that goes away early is no failure, and the command still does its work', async (t) => {
  const dir = tempDir(t);
  const child = spawn(process.execPath, [PROGRAM, 'init', '--dir', dir], {
    env: bareEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  await once(child, 'close');
  t.deepEqual([child.exitCode, stderr], [0, '']);
  t.true(fs.existsSync(join(dir, 'pressmark.config.mjs')));
});
