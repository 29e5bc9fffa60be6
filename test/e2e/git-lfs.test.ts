import fs from 'node:fs';
import { dirname, join, relative } from 'node:path';
import test from 'ava';
import { assetFolder } from '../../src/article/asset.js';
import { commitFile, committedIds, gitIn, inClone, makeRemote, makeRepository } from '../support/clones.js';
import { fileOf } from '../support/content.js';
import { article } from '../support/events.js';
import { type HereOptions, startHere } from '../support/receiver-here.js';
import { tempDir } from '../support/temp-dir.js';
import { until } from '../support/until.js';

test('200: in a repository with Git LFS, an article is committed beside its files, and what the owner has staged of them stays', async (t) => {
  const dir = makeRepository(tempDir(t), { site: false });
  const git = (...args: string[]) => gitIn(dir, ...args);
  const write = (name: string, size: number) => fs.writeFileSync(join(dir, name), Buffer.alloc(size, name));
  git('lfs', 'install', '--local');
  git('lfs', 'track', '*.png');
  write('one.png', 50_000);
  write('two.png', 50_000);
  git('add', '.');
  git('commit', '--quiet', '-m', 'Pictures');
  write('two.png', 60_000);
  write('three.png', 60_000);
  git('add', 'two.png', 'three.png');
  write('one.png', 60_000);
  const before = git('status', '--porcelain');
  t.is(before, ' M one.png\nA  three.png\nM  two.png\n');
  const staged = git('ls-files', '--stage');

  const { post } = await startHere(t, inClone(dir));
  const data = article();
  t.is((await post('article.published', data)).status, 200);
  await until('it is committed', () => committedIds(dir).includes(data.id));
  const file = fileOf(dir, data.id);
  t.is(git('show', '--format=', '--name-only'), `${relative(dir, file)}\n`);
  t.is(git('show', `HEAD:${relative(dir, file)}`), fs.readFileSync(file, 'utf8'));
  t.is(git('status', '--porcelain'), before);
  t.is(git('ls-files', '--stage', '--', '*.png', '.gitattributes', '.gitignore', '*.json'), staged);
  for (const name of ['one.png', 'two.png'])
    t.regex(git('show', `HEAD:${name}`), /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n/);
});

for (const durability of ['disk', 'push'])
  test(`200: level ${durability}: a picture beside an article is committed by Git LFS, and the remote gets it with the article`, async (t) => {
    const clones = makeRemote(tempDir(t), undefined, { durability, git: { push: { debounce: 50 } } });
    const dir = clones.clone('site');
    gitIn(dir, 'lfs', 'install', '--local');
    commitFile(dir, '.gitattributes', '*.png filter=lfs diff=lfs merge=lfs -text\n');
    gitIn(dir, 'push', '--quiet');
    const data = article();
    const picture = `static/media/${assetFolder(data.id)}/bee.png`;
    fs.mkdirSync(dirname(join(dir, picture)), { recursive: true });
    fs.writeFileSync(join(dir, picture), Buffer.alloc(50_000, 'bee'));

    const { post } = await startHere(t, inClone<HereOptions>(dir, { resend: true }));
    t.is((await post('article.published', data)).status, 200);
    await until('it is pushed', () => committedIds(clones.remote).includes(data.id));
    t.regex(clones.git('show', `main:${picture}`), /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n/);
    t.is(gitIn(dir, 'status', '--porcelain'), '');
    const other = clones.clone('other');
    gitIn(other, 'lfs', 'install', '--local');
    gitIn(other, 'lfs', 'pull');
    t.deepEqual(fs.readFileSync(join(other, picture)), fs.readFileSync(join(dir, picture)));
  });
