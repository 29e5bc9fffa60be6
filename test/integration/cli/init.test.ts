import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { initSite } from '../../../src/app/init.js';
import { bareEnvironment, PROGRAM, run } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';

test('init writes a config, a secret that nobody else can read, and .gitignore lines', async (t) => {
  const dir = tempDir(t);
  const { code, stdout } = await run(['init', '--dir', dir, '--site-url', 'https://garden.example']);
  t.is(code, 0);
  t.regex(stdout, /wrote pressmark\.config\.mjs/);
  t.regex(fs.readFileSync(join(dir, '.env'), 'utf8'), /^PRESSMARK_SECRET=[\w-]{43}\n$/);
  t.is(fs.statSync(join(dir, '.env')).mode & 0o777, 0o600);
  t.is(fs.readFileSync(join(dir, '.gitignore'), 'utf8'), '.env\n.pressmark/\npublic/\n');
  t.is((await run(['doctor', '--dir', dir])).code, 0, 'doctor finds nothing that fails');
});

test('init overwrites nothing, and a second time changes nothing', async (t) => {
  const dir = tempDir(t);
  fs.writeFileSync(join(dir, '.env'), 'OTHER=1\nPRESSMARK_SECRET=mine');
  fs.writeFileSync(join(dir, '.gitignore'), 'node_modules\n/public');
  fs.writeFileSync(join(dir, 'pressmark.config.json'), '{"siteUrl":"https://mine.example"}');
  const { done, left } = initSite(dir, undefined);
  t.deepEqual(done, ['added .env, .pressmark/ to .gitignore']);
  t.deepEqual(left, ['pressmark.config.json is there already', '.env has a PRESSMARK_SECRET already']);
  t.is(fs.readFileSync(join(dir, '.env'), 'utf8'), 'OTHER=1\nPRESSMARK_SECRET=mine');
  t.is(fs.readFileSync(join(dir, '.gitignore'), 'utf8'), 'node_modules\n/public\n.env\n.pressmark/\n');
  t.false(fs.existsSync(join(dir, 'pressmark.config.mjs')));
  const before = fs.readdirSync(dir).map((name) => fs.readFileSync(join(dir, name), 'utf8'));
  t.deepEqual(initSite(dir, 'https://other.example').done, []);
  t.deepEqual(
    fs.readdirSync(dir).map((name) => fs.readFileSync(join(dir, name), 'utf8')),
    before,
  );
});

test('init adds a secret to an .env that has none, and leaves the rest of it', async (t) => {
  const dir = tempDir(t);
  fs.writeFileSync(join(dir, '.env'), 'OTHER=1');
  initSite(dir, undefined);
  t.regex(fs.readFileSync(join(dir, '.env'), 'utf8'), /^OTHER=1\nPRESSMARK_SECRET=[\w-]{43}\n$/);
});

test('init does not ignore an output folder that has the owner’s files in it', async (t) => {
  const dir = tempDir(t);
  fs.mkdirSync(join(dir, 'public'));
  fs.writeFileSync(join(dir, 'public/logo.svg'), '<svg/>');
  const { left } = initSite(dir, undefined);
  t.true(left.some((line) => line.startsWith('public/ has files in it')));
  t.is(fs.readFileSync(join(dir, '.gitignore'), 'utf8'), '.env\n.pressmark/\n');
});

test('init does its work and ends with code 0 when nobody reads its output any more', async (t) => {
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
