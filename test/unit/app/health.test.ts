import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createHealth } from '../../../src/app/health.js';
import { tempDir } from '../../support/temp-dir.js';

test('two receivers on one directory never touch each other’s probe, whatever their process ids', (t) => {
  const dir = tempDir(t);
  const written: string[] = [];
  const real = fs.writeFileSync;
  fs.writeFileSync = (...args: Parameters<typeof real>) => {
    written.push(String(args[0]));
    real(...args);
  };
  t.teardown(() => {
    fs.writeFileSync = real;
  });
  const [one, other] = [createHealth(dir, join(dir, 'state')), createHealth(dir, join(dir, 'state'))];
  t.deepEqual([one(), other()], [undefined, undefined]);
  t.is(new Set(written).size, 2);
  t.deepEqual(fs.readdirSync(join(dir, 'state')), []);
});

test('what is wrong is said without the machine’s paths', (t) => {
  const dir = tempDir(t);
  const trouble = createHealth(join(dir, 'nowhere'), join(dir, 'state'))();
  t.regex(trouble ?? '', /^articles cannot be stored: ENOENT/);
  t.false(trouble?.includes(dir));
});
