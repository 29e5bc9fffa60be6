import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { article } from '../../support/events.js';
import { run, SITE_URL, startReceiver } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';

test('build makes the same site that the receiver made, from nothing', async (t) => {
  const dir = tempDir(t);
  const receiver = await startReceiver(t, { dir });
  for (const id of ['one', 'two']) await receiver.post('article.published', article({ id, slug: id }));
  t.is(await receiver.stop(), 0);
  const files = () =>
    fs
      .readdirSync(join(dir, 'public'), { recursive: true, encoding: 'utf8' })
      .sort()
      .flatMap((name) => {
        const path = join(dir, 'public', name);
        // The index of the search keeps files of the index before for a while.
        return fs.statSync(path).isFile() && !name.startsWith('pagefind/')
          ? [[name, fs.readFileSync(path, 'utf8')]]
          : [];
      });
  const before = files();
  t.true(before.some(([name]) => name === 'articles/two/index.html'));
  fs.rmSync(join(dir, 'public'), { recursive: true });
  fs.rmSync(join(dir, '.pressmark'), { recursive: true });
  const { code, stdout } = await run(['build', '--dir', dir], { PRESSMARK_SITE_URL: SITE_URL });
  t.is(code, 0);
  t.regex(stdout, /^\d+ pages built in \d+ ms: \d+ written, 0 removed, 0 failed → public\/\n$/);
  t.deepEqual(files(), before);
  t.true(fs.existsSync(join(dir, 'public/pagefind/pagefind-entry.json')));
});

test('build says so where another generator builds the site, and where a template is wrong', async (t) => {
  const dir = tempDir(t);
  fs.writeFileSync(join(dir, 'pressmark.config.json'), '{"site":false}');
  const other = await run(['build', '--dir', dir]);
  t.deepEqual(
    [other.code, other.stderr],
    [2, 'pressmark: site is false in the config: another generator builds this site\n'],
  );
  fs.rmSync(join(dir, 'pressmark.config.json'));
  fs.mkdirSync(join(dir, 'templates'));
  fs.writeFileSync(join(dir, 'templates/home.eta'), '<% throw new Error("no home today") %>');
  const broken = await run(['build', '--dir', dir]);
  t.is(broken.code, 1);
  t.regex(broken.stderr, /no home today/);
});
