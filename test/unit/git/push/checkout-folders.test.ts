import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { findLockHelper } from '../../../../src/fs/lock-helper.js';
import { createCheckoutFolders } from '../../../../src/git/push/checkout-folders.js';
import { tempDir } from '../../../support/temp-dir.js';

const MODULES = ['fs/lock-helper', 'git/push/checkout-folders'].map(
  (name) => new URL(`../../../../src/${name}.js`, import.meta.url).href,
);

/** A process that has replaced a file in which a person has saved since, and is killed. */
async function replacedAndKilled(staging: string, saved: string): Promise<void> {
  const script = `
    const [{ findLockHelper }, { createCheckoutFolders }] = await Promise.all(
      ${JSON.stringify(MODULES)}.map((module) => import(module)),
    );
    const fs = await import('node:fs');
    const folder = await createCheckoutFolders(${JSON.stringify(staging)}, findLockHelper()).add();
    fs.writeFileSync(folder.replacedPath(Buffer.from('old')), 'old');
    fs.writeFileSync(folder.replacedPath(Buffer.from('older')), ${JSON.stringify(saved)});
    console.log('replaced');
    setInterval(() => undefined, 1_000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
}

test('a receiver that starts leaves the checkout of a living one alone, and removes that of a dead one', async (t) => {
  const [staging, top] = [tempDir(t), tempDir(t)];
  const living = createCheckoutFolders(staging, findLockHelper());
  const folder = await living.add();
  fs.writeFileSync(join(folder.path, 'a.md'), 'under way');
  await replacedAndKilled(staging, 'a person’s words');

  const starting = createCheckoutFolders(staging, findLockHelper());
  const [recovered = '', ...others] = await starting.sweep(top);
  t.deepEqual(others, []);
  t.is(fs.readFileSync(join(top, recovered), 'utf8'), 'a person’s words');
  t.is(fs.readFileSync(join(folder.path, 'a.md'), 'utf8'), 'under way');
  t.is(fs.readdirSync(staging).length, 2, 'the folder of the living one and its lock');
  await living.close();
  t.deepEqual(fs.readdirSync(staging), []);
});

test('each text that was saved into a replaced file is kept, also where the same file was replaced twice', async (t) => {
  const [staging, top] = [tempDir(t), tempDir(t)];
  await replacedAndKilled(staging, 'one');
  await replacedAndKilled(staging, 'two');
  const names = await createCheckoutFolders(staging, findLockHelper()).sweep(top);
  t.deepEqual(names.map((name) => fs.readFileSync(join(top, name), 'utf8')).sort(), ['one', 'two']);
});

test('a checkout goes on where the state folder was removed, and is still a living one’s', async (t) => {
  const staging = join(tempDir(t), 'staging');
  const living = createCheckoutFolders(staging, findLockHelper());
  await living.add();
  fs.rmSync(staging, { recursive: true });
  const { path } = await living.add();
  t.deepEqual(await createCheckoutFolders(staging, findLockHelper()).sweep(tempDir(t)), []);
  t.true(fs.existsSync(path));
  await living.close();
});
