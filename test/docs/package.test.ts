import fs from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { GENERATORS } from '../../src/generators/registry.js';
import { packedFiles } from '../support/packed-files.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const read = (path: string) => fs.readFileSync(join(ROOT, path), 'utf8');
const manifest: { version: string } = JSON.parse(read('package.json'));

const FILES = packedFiles();
const PAGES = FILES.filter((path) => path.endsWith('.md'));

test('the package holds what its pages name', (t) => {
  t.true(PAGES.includes('docs/deploy.md'));
  for (const page of PAGES)
    for (const [, target = ''] of read(page).matchAll(/(?<!!)\[[^\]]*\]\(([^)#\s]+)/g)) {
      if (/^[a-z]+:|^[/$]/.test(target)) continue;
      const path = posix.join(posix.dirname(page), target);
      t.true(FILES.includes(path), `${page}: ${target}`);
    }
  t.true(FILES.includes('examples/reading-room/static/pictures/dial.svg'));
  t.true(FILES.includes('examples/magazine-theme/templates/home.eta'));
  t.false(FILES.some((path) => /(?:^|\/)(?:test\/|\.env)/.test(path)));
});

test('there is one way to install it, which all pages give', (t) => {
  const archive = `./vendor/pressmark-${manifest.version}.tgz`;
  for (const page of [...PAGES, 'README.md'])
    for (const [line] of read(page).matchAll(/^.*npm (?:install|i) .*pressmark.*$/gm))
      t.is(line.trim(), `npm install ${archive}`, page);
  for (const page of ['README.md', ...GENERATORS.map(({ name }) => `docs/${name}.md`)])
    t.true(read(page).includes(`npm install ${archive}\n`), page);
  t.regex(read('README.md'), /git clone <address of this repository> \.\.\/pressmark\n/);
  t.regex(read('docs/container.md'), /^COPY vendor \.\/vendor$/m);
});
