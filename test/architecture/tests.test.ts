import fs from 'node:fs';
import { join, relative } from 'node:path';
import test from 'ava';
import { ownFiles, ROOT } from '../support/own-files.js';

const foldersIn = (path: string) =>
  fs
    .readdirSync(join(ROOT, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

const sources = ownFiles('test')
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({ name: relative('test', path), text: fs.readFileSync(join(ROOT, path), 'utf8') }));

/** What no test has, and the files that may. */
const NOWHERE: Readonly<Record<string, readonly [pattern: RegExp, allowed: RegExp]>> = {
  // Only Linux has /dev/full; on other systems the tests that need it are skipped.
  'skip, todo, failing or only': [
    /\btest(?:\.serial)?\.(?:skip|todo|failing|only)\b/,
    /^support\/full-disk\.ts$/,
  ],
  'a time of its own, for which AVA would forget that of the run, in an end-to-end test': [
    /\bt\.timeout\(/,
    /^(?!e2e)/,
  ],
  'a random choice that does not come from the seed of the run': [
    /\bMath\.random\b|\brandomInt\(|from 'fast-check'/,
    /^(?:support\/(?:random|property)\.ts|architecture\/tests\.test\.ts|bench\/.*)$/,
  ],
};

test('no test skips, sets a time or makes a random choice of its own', (t) => {
  for (const [what, [pattern, allowed]] of Object.entries(NOWHERE))
    for (const { name, text } of sources)
      t.false(pattern.test(text) && !allowed.test(name.replaceAll('\\', '/')), `${name}: ${what}`);
});

for (const kind of ['unit', 'integration'])
  test(`the folders of test/${kind} mirror src`, (t) => {
    t.deepEqual(
      foldersIn(`test/${kind}`).filter((name) => !foldersIn('src').includes(name)),
      [],
    );
  });
