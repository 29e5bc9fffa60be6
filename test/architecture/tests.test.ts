import fs from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

const foldersIn = (path: string) =>
  fs
    .readdirSync(join(ROOT, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

/** The files below a folder, but those of packages, of which test/e2e/tools has a hundred thousand. */
const filesIn = (path: string): string[] =>
  fs
    .readdirSync(join(ROOT, path), { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .flatMap((entry) => {
      const inside = join(path, entry.name);
      return entry.isDirectory() ? filesIn(inside) : [inside];
    });

const sources = filesIn('test')
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({ name: relative('test', path), text: fs.readFileSync(join(ROOT, path), 'utf8') }));

/** The names of the files that match a pattern. */
const filesWith = (pattern: RegExp) =>
  sources.filter(({ text }) => pattern.test(text)).map(({ name }) => name);

for (const kind of ['unit', 'integration'])
  test(`the folders of test/${kind} mirror src`, (t) => {
    t.deepEqual(
      foldersIn(`test/${kind}`).filter((name) => !foldersIn('src').includes(name)),
      [],
    );
  });

test('no test uses skip, todo, failing or only', (t) => {
  const found = filesWith(/\btest(?:\.serial)?\.(?:skip|todo|failing|only)\b/);
  // Only Linux has /dev/full; on other systems the tests that need it are skipped.
  const allowed = [join('support', 'full-disk.ts')];
  t.deepEqual(
    found.filter((name) => !allowed.includes(name)),
    [],
  );
});

test('no end-to-end test sets a time of its own, for which AVA would forget that of the run', (t) => {
  t.deepEqual(
    filesWith(/\bt\.timeout\(/).filter((name) => name.startsWith('e2e')),
    [],
  );
});

test('all random choices of tests come from the seed of the run', (t) => {
  const own = ['support/random.ts', 'support/property.ts', join('architecture', 'tests.test.ts')];
  const random = filesWith(/\bMath\.random\b|\brandomInt\(|from 'fast-check'/);
  t.deepEqual(
    random.filter((name) => !own.includes(name) && !name.startsWith('bench')),
    [],
  );
});
