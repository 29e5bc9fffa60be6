import fs from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { filesBelow } from '../../src/fs/files-below.js';
import { GENERATORS } from '../../src/generators/registry.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const read = (path: string) => fs.readFileSync(join(ROOT, path), 'utf8');
const manifest: { version: string; files: string[] } = JSON.parse(read('package.json'));

/** Whether npm packs a file; what it makes of the list is shown in test/e2e/typed-plugin. */
function isPacked(path: string): boolean {
  const isIn = (folder: string) => path === folder || path.startsWith(`${folder}/`);
  return (
    /^(?:README\.md|LICENSE)$/.test(path) ||
    (manifest.files.some(isIn) && !manifest.files.some((one) => isIn(one.slice(1))))
  );
}

const PAGES = [
  'README.md',
  'CHANGELOG.md',
  ...['docs', 'examples'].flatMap((folder) =>
    filesBelow(join(ROOT, folder)).map((name) => `${folder}/${name}`),
  ),
].filter((path) => path.endsWith('.md') && isPacked(path));

test('the package holds what its pages name', (t) => {
  t.true(PAGES.includes('docs/deploy.md'));
  for (const page of PAGES)
    for (const [, target = ''] of read(page).matchAll(/(?<!!)\[[^\]]*\]\(([^)#\s]+)/g)) {
      if (/^[a-z]+:|^[/$]/.test(target)) continue;
      const path = posix.join(posix.dirname(page), target);
      t.true(isPacked(path) && fs.existsSync(join(ROOT, path)), `${page}: ${target}`);
    }
});

test('there is one way to install it, which all pages give', (t) => {
  const archive = `./vendor/pressmark-${manifest.version}.tgz`;
  for (const page of PAGES)
    for (const [line] of read(page).matchAll(/^.*npm (?:install|i) .*pressmark.*$/gm))
      t.is(line.trim(), `npm install ${archive}`, page);
  for (const page of ['README.md', ...GENERATORS.map(({ name }) => `docs/${name}.md`)])
    t.true(read(page).includes(`npm install ${archive}\n`), page);
  t.regex(read('README.md'), /git clone <address of this repository> \.\.\/pressmark\n/);
  t.regex(read('docs/container.md'), /^COPY vendor \.\/vendor$/m);
});
