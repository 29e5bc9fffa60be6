import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { foldersOf } from '../../../../src/app/content/folders.js';
import { tempDir } from '../../../support/temp-dir.js';

const stateOf = (dir: string, generator: 'plain' | 'hugo') =>
  foldersOf({ dir, content: 'content', output: 'public', templates: 'templates', generator }).stateDir;

test('the state of a site that Pressmark builds is in .pressmark', (t) => {
  const dir = tempDir(t);
  fs.mkdirSync(join(dir, '.git'));
  t.is(stateOf(dir, 'plain'), join(dir, '.pressmark'));
});

test('the state of a site that another generator builds is below .git, where no generator looks', (t) => {
  const dir = tempDir(t);
  t.is(stateOf(dir, 'hugo'), join(dir, '.pressmark'));
  fs.mkdirSync(join(dir, '.git'));
  t.is(stateOf(dir, 'hugo'), join(dir, '.git/pressmark'));
  const nested = join(dir, 'sites/garden');
  fs.mkdirSync(nested, { recursive: true });
  t.is(stateOf(nested, 'hugo'), join(dir, '.git/pressmark/sites/garden'));
});

test('a linked work tree has a state of its own', (t) => {
  const dir = tempDir(t);
  fs.mkdirSync(join(dir, 'main/.git/worktrees/linked'), { recursive: true });
  const linked = join(dir, 'linked');
  fs.mkdirSync(linked);
  fs.writeFileSync(join(linked, '.git'), 'gitdir: ../main/.git/worktrees/linked\n');
  t.is(stateOf(linked, 'hugo'), join(dir, 'main/.git/worktrees/linked/pressmark'));
});

test('a git folder on another file system does not hold the state, as files get their names from there by a link', (t) => {
  const dir = tempDir(t);
  fs.writeFileSync(join(dir, '.git'), 'gitdir: /dev\n');
  t.is(stateOf(dir, 'hugo'), join(dir, '.pressmark'));
});
