import test from 'ava';
import { gitIn, inClone, makeRepository } from '../../support/clones.js';
import { article } from '../../support/events.js';
import { generatorSite, writePost } from '../../support/generator-site.js';
import { startHere } from '../../support/receiver-here.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

test('commitEdits commits articles alone: no image, note or hidden file beside them in the content folder, where any text is an article of a generator', async (t) => {
  const dir = makeRepository(tempDir(t), {});
  generatorSite(dir, 'hugo', { config: { git: { commitEdits: true } } });
  gitIn(dir, 'add', '.');
  gitIn(dir, 'commit', '--quiet', '-m', 'The site');
  const others = ['posts/soil/cover.jpg', '.env', '.obsidian/note.md', 'posts/list.txt'];
  for (const path of others) writePost(dir, path, 'secret=1\n');
  writePost(dir, 'posts/mine.md', '---\ntitle: Mine\n---\nMy words.\n');
  const { post, close } = await startHere(t, inClone(dir));
  const subjects = () => gitIn(dir, 'log', '--format=%s');
  await until('the post is committed', () => subjects().includes('Edit: Mine'));
  t.is((await post('article.published', article({ title: 'Sent' }))).status, 200);
  await until('the article is committed', () => subjects().includes('Publish: Sent'));
  await close();
  t.deepEqual(
    gitIn(dir, 'status', '--porcelain', '-uall').trimEnd().split('\n').sort(),
    others.map((path) => `?? content/${path}`).sort(),
  );
});
