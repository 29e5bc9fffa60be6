import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createPlugin } from '../../../../src/app/plugins/new-plugin.js';
import { tempDir } from '../../../support/temp-dir.js';

test('a new plugin replaces no file, and its name is one that a plugin can have', (t) => {
  const dir = tempDir(t);
  for (const name of ['Upper', '../out', ''])
    t.throws(() => createPlugin(dir, { name, isTyped: false }), {
      code: 'USAGE',
      message: /cannot be named/,
    });
  t.deepEqual(fs.readdirSync(dir), []);
  t.deepEqual(createPlugin(dir, { name: 'one', isTyped: false }), ['plugins/one.mjs', 'tests/one.test.mjs']);
  for (const isTyped of [false, true])
    t.throws(() => createPlugin(dir, { name: 'one', isTyped }), { message: /^plugins\/one\.mjs is there/ });
  fs.writeFileSync(join(dir, 'tsconfig.json'), 'of the owner');
  createPlugin(dir, { name: 'two', isTyped: true });
  t.is(fs.readFileSync(join(dir, 'tsconfig.json'), 'utf8'), 'of the owner');
});
