import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { bareEnvironment, PROGRAM } from '../support/receiver.js';
import { tempDir } from '../support/temp-dir.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const page = fs.readFileSync(join(ROOT, 'docs/plugin-tutorial.md'), 'utf8');

/** The blocks of the page in their order: commands, and files whose first line has their path. */
const BLOCKS = [...page.matchAll(/^```(sh|js)\n([\s\S]*?)^```$/gm)];

test('the tutorial for plugins, word for word in a fresh folder: its plugin and its tests do what it says', async (t) => {
  const dir = tempDir(t);
  fs.mkdirSync(join(dir, 'node_modules'));
  fs.symlinkSync(ROOT, join(dir, 'node_modules/pressmark'));
  fs.writeFileSync(join(dir, 'package.json'), JSON.stringify({ private: true }));
  const outputs = new Map<string, string>();
  for (const [, kind, text = ''] of BLOCKS) {
    if (kind === 'js') {
      const [, path = ''] = /^\/\/ (\S+)\n/.exec(text) ?? [];
      t.true(fs.existsSync(join(dir, path)), `${path} was there before it was replaced`);
      fs.writeFileSync(join(dir, path), text);
      continue;
    }
    const command = text.trim().replace('npx pressmark', `'${process.execPath}' '${PROGRAM}'`);
    // Not synchronous: receivers of other tests are in this process.
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', command], {
      cwd: dir,
      env: bareEnvironment(),
    });
    outputs.set(text.trim(), `${outputs.get(text.trim()) ?? ''}${stdout}`);
  }
  t.is(outputs.get('node --test tests/corrections.test.mjs')?.match(/^(?:#|ℹ) pass 1$/gm)?.length, 2);
  const listed = outputs.get('npx pressmark plugins') ?? '';
  for (const part of [
    'corrections 0.1.0',
    'corrections.count on article.updated',
    'GET /-/corrections/counts',
    'corrections.txt',
  ])
    t.true(listed.includes(part), part);
  t.deepEqual(fs.readdirSync(join(dir, 'plugins')), ['corrections.mjs']);
});
