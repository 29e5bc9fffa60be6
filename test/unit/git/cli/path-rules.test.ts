import fs from 'node:fs';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { filteredPaths, ignoredPaths } from '../../../../src/git/cli/path-rules.js';
import { openRepository } from '../../../../src/git/cli/repository.js';
import { gitEnvironment, gitIn } from '../../../support/clones.js';
import { tempDir } from '../../../support/temp-dir.js';

async function startRepository(t: ExecutionContext) {
  const dir = tempDir(t);
  gitIn(dir, 'init', '--quiet', '--initial-branch=main');
  const repository = await openRepository(dir, gitEnvironment(dir));
  if (repository.kind === 'none') throw new Error(repository.because);
  const write = (path: string, text: string) => {
    fs.mkdirSync(dirname(join(dir, path)), { recursive: true });
    fs.writeFileSync(join(dir, path), text);
  };
  return {
    dir,
    write,
    ignored: async (...paths: string[]) => [...(await ignoredPaths(repository, paths))].sort(),
    filtered: async (...paths: string[]) => [...(await filteredPaths(repository, paths))].sort(),
  };
}

test('a rule of .gitignore holds from the moment at which it is written', async (t) => {
  const { dir, write, ignored } = await startRepository(t);
  const [path, other] = ['content/2026/a.md', 'content/2026/b.md'];
  t.deepEqual(await ignored(path, other), []);
  write('.gitignore', 'a.md\n');
  t.deepEqual(await ignored(path, other), [path]);
  write('content/.gitignore', '!a.md\n');
  t.deepEqual(await ignored(path, other), []);
  write('content/2026/.gitignore', 'b.md\n');
  t.deepEqual(await ignored(path, other), [other]);
  fs.rmSync(join(dir, 'content/2026/.gitignore'));
  t.deepEqual(await ignored(path, other), []);
  write('.git/info/exclude', '/content/2026/b.md\n');
  t.deepEqual(await ignored(path, other), [other]);
  write('mine', '2026/\n');
  gitIn(dir, 'config', 'core.excludesFile', join(dir, 'mine'));
  t.deepEqual(await ignored(path, other), [path, other].sort());
});

test('a file of an ignored folder that is in the index is not ignored', async (t) => {
  const { dir, write, ignored } = await startRepository(t);
  write('.gitignore', 'content/\n');
  write('content/a.md', 'a');
  t.deepEqual(await ignored('content/a.md', 'content/b.md'), ['content/a.md', 'content/b.md']);
  gitIn(dir, 'add', '--force', 'content/a.md');
  t.deepEqual(await ignored('content/a.md', 'content/b.md'), ['content/b.md']);
});

test('in a submodule that is in the index, paths are ignored or not as elsewhere', async (t) => {
  const { dir, write, ignored } = await startRepository(t);
  gitIn(dir, 'commit', '--quiet', '--allow-empty', '-m', 'First');
  const head = gitIn(dir, 'rev-parse', 'HEAD').trim();
  gitIn(dir, 'update-index', '--add', '--cacheinfo', `160000,${head},content/blog`);
  write('.gitignore', '*.tmp\n');
  t.deepEqual(await ignored('content/blog/a.md', 'content/blog/a.tmp'), ['content/blog/a.tmp']);
  t.deepEqual(await ignored('content/blog/a.tmp', 'content/a.tmp', 'content/a.md'), [
    'content/a.tmp',
    'content/blog/a.tmp',
  ]);
});

test('paths of several folders, and with every character, have their own rules', async (t) => {
  const { write, ignored, filtered } = await startRepository(t);
  write('.gitignore', '*.tmp\n');
  write('b/.gitignore', '!*.tmp\n');
  const odd = ['a/ü\n "x".tmp', 'a/*.tmp', 'a/:(top)x.tmp', 'a/!x.tmp', 'a/-x.tmp', 'a/x.md'];
  const wanted = odd.slice(0, -1).sort();
  t.deepEqual(await ignored(...odd), wanted);
  t.deepEqual(await ignored(...odd, 'b/x.tmp'), wanted);
  write('.gitattributes', '*.tmp filter=x\n');
  write('b/.gitattributes', '*.tmp -filter\n');
  t.deepEqual(await filtered(...odd), wanted);
  t.deepEqual(await filtered(...odd, 'b/x.tmp'), wanted);
  t.deepEqual(await filtered(), []);
});

test('in a sparse work tree a .gitignore holds that only the index has', async (t) => {
  const { dir, write, ignored } = await startRepository(t);
  write('content/.gitignore', '*.tmp\n');
  write('content/a.md', 'a');
  gitIn(dir, 'add', '.');
  gitIn(dir, 'commit', '--quiet', '-m', 'First');
  gitIn(dir, 'sparse-checkout', 'set', '--no-cone', '/content/*.md');
  t.false(fs.existsSync(join(dir, 'content/.gitignore')));
  t.deepEqual(await ignored('content/x.tmp', 'content/x.md'), ['content/x.tmp']);
});

test('an attribute holds from the moment at which it is written', async (t) => {
  const { dir, write, filtered } = await startRepository(t);
  const path = 'content/2026/a.md';
  t.deepEqual(await filtered(path), []);
  write('content/.gitattributes', '*.md ident\n');
  t.deepEqual(await filtered(path), [path]);
  write('content/2026/.gitattributes', '*.md -ident\n');
  t.deepEqual(await filtered(path), []);
  write('.git/info/attributes', '*.md working-tree-encoding=UTF-16\n');
  t.deepEqual(await filtered(path), [path]);
  fs.rmSync(join(dir, '.git/info/attributes'));
  t.deepEqual(await filtered(path), []);
});
