import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { article } from '../../support/events.js';
import { startHere } from '../../support/receiver-here.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

test('links that lead to a folder around them, or in a circle, keep nothing from being received, built and watched', async (t) => {
  const dir = tempDir(t);
  // Two of them in a folder: entered, each would double the number of names.
  for (const folder of ['static', 'static/sub', 'templates/assets', 'content/pages', 'content/articles']) {
    fs.mkdirSync(join(dir, folder), { recursive: true });
    fs.symlinkSync('.', join(dir, folder, 'here'));
    fs.symlinkSync('..', join(dir, folder, 'up'));
    fs.symlinkSync('circle.md', join(dir, folder, 'circle.md'));
  }
  fs.writeFileSync(join(dir, 'content/pages/about.md'), '---\ntitle: About\n---\nMe');
  const receiver = await startHere(t, {
    dir,
    config: { git: false, site: { search: false }, logLevel: 'error' },
  });
  const has = (file: string, text: string) => {
    const path = join(dir, 'public', file);
    return fs.existsSync(path) && fs.readFileSync(path, 'utf8').includes(text);
  };
  t.is((await receiver.post('article.published', article({ id: 'one', slug: 'one' }))).status, 200);
  await until('the page is built', () => has('articles/one/index.html', 'one'));
  await until('a page of the owner’s, too', () => has('about/index.html', 'Me'));
  fs.writeFileSync(join(dir, 'static/mine.txt'), 'First');
  await until('a new file of static/ is there', () => has('mine.txt', 'First'));
  fs.writeFileSync(join(dir, 'static/sub/mine.txt'), 'Second');
  await until('one in a folder of static/, too', () => has('sub/mine.txt', 'Second'));
  await receiver.close();
});
