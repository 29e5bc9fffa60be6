import { createHook } from 'node:async_hooks';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { folderTarget } from '../../../../src/deploy/targets/folder.js';
import { tempDir } from '../../../support/temp-dir.js';

/** How often this process has called the file system. */
let calls = 0;
for (const [name, original] of Object.entries(fs))
  if (typeof original === 'function' && name.endsWith('Sync')) {
    const counted = (...words: unknown[]): unknown => {
      calls++;
      return Reflect.apply(original, fs, words);
    };
    Object.assign(fs, { [name]: Object.assign(counted, original) });
  }
createHook({
  init(_, type) {
    if (type.startsWith('FSREQ')) calls++;
  },
}).enable();

test('to deploy, the receiver’s own process does as much for many files as for few', async (t) => {
  const [few, many] = [await callsFor(20), await callsFor(400)];
  t.true(many < few + 20, `${few} calls of the file system for 20 files, ${many} for 400`);

  async function callsFor(count: number): Promise<number> {
    const dir = fs.realpathSync(tempDir(t));
    const output = join(dir, 'public');
    fs.mkdirSync(output);
    for (let n = 0; n < count; n++) fs.writeFileSync(join(output, `${n}.html`), `${n}`);
    const before = calls;
    await folderTarget(join(dir, 'srv')).deploy({ folder: output }, new AbortController().signal);
    return calls - before;
  }
});
