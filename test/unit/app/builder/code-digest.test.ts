import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { codeDigest } from '../../../../src/app/builder/code-digest.js';
import { tempDir } from '../../../support/temp-dir.js';

test('the digest of a plugin changes with every file that it names, and with no other', (t) => {
  const dir = tempDir(t);
  const files = {
    'plugin.mjs': `import { a } from './lib/a.mjs'; const data = readFileSync(new URL('./data.json', import.meta.url));
      const more = [join(import.meta.dirname, 'beside.json'), join(import.meta.dirname, "lib/below.txt"), require('./lib/plain')];`,
    'lib/a.mjs': `export { b as a } from "../lib/b.js"; import './a.mjs'; // in a circle`,
    'lib/b.js': 'export const b = 1;',
    'lib/plain.js': 'exports.a = 1;',
    'lib/below.txt': 'below',
    'beside.json': '{}',
    'data.json': '{"colour": "blue"}',
  };
  fs.mkdirSync(join(dir, 'lib'));
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(join(dir, name), text);
  const digest = () => codeDigest(join(dir, 'plugin.mjs'));
  const first = digest();
  fs.writeFileSync(join(dir, 'lib/other.js'), '');
  t.is(digest(), first);
  for (const [name, text] of Object.entries(files)) {
    fs.writeFileSync(join(dir, name), `${text} `);
    t.not(digest(), first, name);
    fs.writeFileSync(join(dir, name), text);
    t.is(digest(), first);
  }
});
