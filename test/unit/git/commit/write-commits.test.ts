import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { blobId, openRepository } from '../../../../src/git/cli/repository.js';
import { type CommitDraft, writeCommits } from '../../../../src/git/commit/write-commits.js';
import { gitEnvironment, gitIn } from '../../../support/clones.js';
import { createRandom } from '../../../support/random.js';
import { tempDir } from '../../../support/temp-dir.js';

const ADA = { name: 'Ada', email: 'ada@example.org' };
const IDENTITY = { author: ADA, committer: { name: 'Pressmark', email: 'p@example.org' } };

async function start(t: ExecutionContext, ...init: string[]) {
  const dir = tempDir(t);
  gitIn(dir, 'init', '--quiet', '--initial-branch=main', ...init);
  const repository = await openRepository(dir, gitEnvironment(dir));
  if (repository.kind === 'none') throw new Error(repository.because);
  const git = (...args: string[]) => gitIn(dir, ...args).trim();
  const draft = (path: string, text: string, rest: Partial<CommitDraft> = {}): CommitDraft => {
    const content = Buffer.from(text);
    const blob = { id: blobId(repository, content), content };
    return { path, message: `Put ${path}\n`, blob, ...rest };
  };
  /** The texts of a commit's files, by path. */
  const filesOf = (commit: string) =>
    git('ls-tree', '-r', '-z', '--full-tree', commit)
      .split('\0')
      .slice(0, -1)
      .map((line) => line.slice('100644 blob '.length).split('\t'))
      .map(([blob = '', path = '']) => `${path} ${blob}`)
      .sort();
  return { dir, repository, git, draft, filesOf };
}

// Names whose order depends on what stands under them: `a` as a folder comes after `a.md`.
const NAMES = ['a', 'a.md', 'a-b', 'a0', 'b', 'ä', 'z', 'a\nb', '"q"'];

test('a file in a submodule is refused: it would take the place of the submodule', async (t) => {
  const { repository, git, draft } = await start(t);
  const first = git('commit-tree', '-m', 'First', git('write-tree'));
  git('update-index', '--add', '--cacheinfo', `160000,${first},content/blog`);
  const tip = git('commit-tree', '-m', 'Submodule', git('write-tree'));
  const error = await t.throwsAsync(
    writeCommits(repository, tip, [draft('content/blog/a.md', 'a')], IDENTITY),
  );
  t.is(error.message, 'content/blog/a.md is in the submodule content/blog');
  const [beside = ''] = await writeCommits(repository, tip, [draft('content/a.md', 'a')], IDENTITY);
  t.is(git('rev-parse', `${beside}:content/blog`), first);
});

for (const format of ['sha1', 'sha256'])
  for (const count of [3, 120])
    test(`${count} commits hold what git itself would have made of them, with ${format}`, async (t) => {
      const { repository, git, draft, filesOf, dir } = await start(t, `--object-format=${format}`);
      const random = createRandom(t.title);
      const expected = new Map<string, string>();
      let tip: string | null = null;
      for (let round = 0; round < 3; round++) {
        const drafts = Array.from({ length: count }, (_, index) => {
          const folders = Array.from({ length: random.integer(0, 3) }, () => random.pick(NAMES));
          const text = `${round} ${index}`.repeat(random.pick([1, 10, 2_000]));
          return draft([...folders, random.pick(NAMES)].join('/'), text);
        });
        const commits: string[] = await writeCommits(repository, tip, drafts, IDENTITY);
        for (const [index, { path, blob }] of drafts.entries()) {
          // A file takes the place of a folder, and the other way round.
          for (const other of [...expected.keys()])
            if (other.startsWith(`${path}/`) || path.startsWith(`${other}/`)) expected.delete(other);
          expected.set(path, blob.id);
          if (index % 40 === 0 || index === count - 1)
            t.deepEqual(filesOf(commits[index] ?? ''), [...expected].map((one) => one.join(' ')).sort());
        }
        tip = commits.at(-1) ?? null;
        t.is(Number(git('rev-list', '--count', tip ?? '')), (round + 1) * count);
        git('read-tree', tip ?? '');
        t.is(git('write-tree'), git('rev-parse', `${tip}^{tree}`), 'the order of the entries');
      }
      git('update-ref', 'refs/heads/main', tip ?? '');
      t.is(git('fsck', '--strict', '--no-dangling'), '');
      t.deepEqual(left(dir), []);
      const packs = packIndexes(dir);
      t.is(packs.length, count > 4 ? 3 : 0);
      for (const [ours, gits] of packs) t.true(ours.equals(gits), 'the index of a pack');
    });

/** The index of each pack, and the one that git makes of the pack. */
function packIndexes(dir: string): [Buffer, Buffer][] {
  const folder = join(dir, '.git', 'objects', 'pack');
  return fs
    .readdirSync(folder)
    .filter((name) => name.endsWith('.pack'))
    .map((name) => {
      const copy = join(dir, name);
      fs.copyFileSync(join(folder, name), copy);
      gitIn(dir, 'index-pack', '--strict', copy);
      const index = name.replace(/pack$/, 'idx');
      return [fs.readFileSync(join(folder, index)), fs.readFileSync(join(dir, index))];
    });
}

test('an executable file stays executable in the commits that do not say otherwise', async (t) => {
  const { repository, git, draft } = await start(t);
  const made = [draft('a.md', 'one', { mode: '100755' }), draft('a.md', 'two')];
  const tip = (await writeCommits(repository, null, made, IDENTITY)).at(-1) ?? '';
  const more = [draft('a.md', 'three'), draft('b.md', 'new'), draft('a.md', 'four', { mode: '100644' })];
  const commits = await writeCommits(repository, tip, more, IDENTITY);
  const modes = [tip, ...commits].map((commit) => git('ls-tree', commit, 'a.md').slice(0, 6));
  t.deepEqual(modes, ['100755', '100755', '100755', '100644']);
  t.is(git('ls-tree', commits[1] ?? '', 'b.md').slice(0, 6), '100644');
});

test('the files of objects are as readable as their folder', async (t) => {
  const { repository, draft, dir } = await start(t);
  const objects = join(dir, '.git', 'objects');
  fs.chmodSync(objects, 0o2770);
  const [commit = ''] = await writeCommits(repository, null, [draft('a.md', 'A')], IDENTITY);
  const folder = join(objects, commit.slice(0, 2));
  t.is(fs.statSync(folder).mode & 0o7777, 0o2770);
  t.is(fs.statSync(join(folder, commit.slice(2))).mode & 0o7777, 0o440);
});

test('a commit has its author, its moment, its committer and its message', async (t) => {
  const { repository, git, draft } = await start(t);
  const authored = { name: 'Bob', email: 'bob@example.org', seconds: 1_000_000_000 };
  const message = 'Publish: Größe\n\nArticle-Id: a\n';
  const drafts = [draft('a.md', 'A'), draft('b.md', 'B', { authored, message })];
  const [first = '', second = ''] = await writeCommits(repository, null, drafts, IDENTITY);
  t.is(git('log', '-1', '--format=%an %ae|%cn|%P', first), 'Ada ada@example.org|Pressmark|');
  t.is(
    git('log', '-1', '--format=%an|%ad|%P|%B', '--date=raw', second),
    `Bob|1000000000 +0000|${first}|${message.trim()}`,
  );
  t.true(git('cat-file', 'commit', second).endsWith(`\n\n${message}`.trimEnd()));
});

for (const [what, count] of [
  ['the folder of an object', 1],
  ['the folder of packs', 5],
] as const)
  test(`where ${what} cannot be written nothing is left over`, async (t) => {
    const { repository, draft, dir } = await start(t);
    const drafts = Array.from({ length: count }, (_, index) => draft(`${index}.md`, `${index}`));
    const blocked = join(
      dir,
      '.git',
      'objects',
      count === 1 ? (drafts[0]?.blob.id.slice(0, 2) ?? '') : 'pack',
    );
    fs.rmSync(blocked, { recursive: true, force: true });
    fs.writeFileSync(blocked, 'no folder');
    await t.throwsAsync(writeCommits(repository, null, drafts, IDENTITY), { code: 'GIT_FAILED' });
    t.deepEqual(left(dir), []);
  });

/** The temp files in the folders of objects. */
function left(dir: string): string[] {
  const names = fs.readdirSync(join(dir, '.git', 'objects'), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.includes('tmp'));
}

test('a folder whose mode another program has written as 040000 keeps its files', async (t) => {
  const { repository, git, draft, filesOf, dir } = await start(t);
  const [first = ''] = await writeCommits(repository, null, [draft('content/one.md', 'one')], IDENTITY);
  const folder = Buffer.from(git('rev-parse', `${first}:content`), 'hex');
  const tree = join(dir, 'tree');
  fs.writeFileSync(tree, Buffer.concat([Buffer.from('040000 content\0'), folder]));
  const root = git('hash-object', '-w', '-t', 'tree', '--literally', tree);
  const padded = git('-c', 'user.name=A', '-c', 'user.email=a@example.org', 'commit-tree', '-m', 'x', root);
  const [commit = ''] = await writeCommits(repository, padded, [draft('content/two.md', 'two')], IDENTITY);
  t.deepEqual(
    filesOf(commit).map((line) => line.split(' ')[0]),
    ['content/one.md', 'content/two.md'],
  );
});

test('a tree that the cache forgets while others are read is not taken for an empty folder', async (t) => {
  const { repository, draft, filesOf } = await start(t);
  const files = ['de/one.md', 'en/one.md'].map((path) => draft(path, path));
  const tip = (await writeCommits(repository, null, files, IDENTITY)).at(-1) ?? null;
  const { trees } = repository;
  const looked = new Set<string>();
  const forgetful = {
    // Each is there once, but for the first folder's.
    get: (id: string) => {
      if (looked.has(id)) return undefined;
      looked.add(id);
      return looked.size === 3 ? undefined : trees.get(id);
    },
    set: trees.set,
  };
  const more = ['de/two.md', 'en/two.md'].map((path) => draft(path, path));
  const commits = await writeCommits({ ...repository, trees: forgetful }, tip, more, IDENTITY);
  t.is(filesOf(commits.at(-1) ?? '').length, 4);
});
