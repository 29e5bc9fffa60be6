import fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { article } from '../../support/events.js';
import { runHere } from '../../support/in-process.js';
import { run, SITE_URL } from '../../support/receiver.js';
import { startHere } from '../../support/receiver-here.js';
import { makeTempDir, removeTempDir, tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { filesIn } from '../site/test-site.js';

test('build makes from nothing the same site as the receiver made', async (t) => {
  const dir = tempDir(t);
  const receiver = await startHere(t, { dir });
  for (const id of ['one', 'two']) await receiver.post('article.published', article({ id, slug: id }));
  // The search follows a whole build.
  await until('the search finds both articles', () =>
    receiver.log.some(({ msg, pages }) => msg === 'search index written' && pages === 2),
  );
  await receiver.close();
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
  t.regex(
    stdout,
    /^\d+ pages \(\d+ KB\) built in \d+\.\d\d s: \d+ written, 0 removed, 0 failed → public\/\n$/,
  );
  t.deepEqual(files(), before);
  t.true(fs.existsSync(join(dir, 'public/pagefind/pagefind-entry.json')));
});

test('build ends with code 2 where another generator builds the site, also where there is no site, and with code 1 where a template is wrong', async (t) => {
  const dir = tempDir(t);
  fs.writeFileSync(join(dir, 'pressmark.config.json'), '{"site":false}');
  const other = await runHere(['build', '--dir', dir]);
  t.deepEqual(
    [other.code, other.stderr],
    [2, 'pressmark: site is false in the config: another generator builds this site\n'],
  );
  fs.rmSync(join(dir, 'pressmark.config.json'));
  fs.mkdirSync(join(dir, 'templates'));
  fs.writeFileSync(join(dir, 'templates/home.eta'), '<% throw new Error("no home today") %>');
  const nowhere = await runHere(['build', '--dir', dir]);
  t.is(nowhere.code, 2);
  t.regex(nowhere.stderr, /has no pressmark\.config\.mjs, .*run pressmark init/);
  t.deepEqual(fs.readdirSync(dir), ['templates']);
  // Its log is on standard error.
  const broken = await run(['build', '--dir', dir], { PRESSMARK_SITE_URL: SITE_URL });
  t.is(broken.code, 1);
  t.regex(broken.stderr, /no home today/);
});

// The content of this repository, built once.
const shared = makeTempDir();
test.after.always(() => removeTempDir(shared));

const build = (...args: string[]) =>
  runHere(['build', '--dir', shared, ...args], { PRESSMARK_SITE_URL: 'http://localhost:8787' });

let clean: Record<string, string> = {};

test.serial.before(async (t) => {
  const content = fileURLToPath(new URL('../../../../content', import.meta.url));
  fs.cpSync(content, join(shared, 'content'), { recursive: true });
  fs.writeFileSync(join(shared, 'pressmark.config.json'), '{"site":{"search":false}}');
  t.is((await build()).code, 0);
  clean = filesIn(join(shared, 'public'));
});

/** Changes, removes and adds files of the site, one of them a person's. @returns the path of the changed page. */
function spoil(): string {
  const output = join(shared, 'public');
  const page = 'archive/index.html';
  fs.appendFileSync(join(output, page), 'spoiled');
  fs.rmSync(join(output, 'feed.xml'), { force: true });
  fs.mkdirSync(join(output, 'old'), { recursive: true });
  fs.writeFileSync(join(output, 'old/index.html'), '<meta name="generator" content="Pressmark">');
  fs.writeFileSync(join(output, 'mine.html'), 'a person’s');
  return page;
}

test.serial(
  'after the state was lost build gives what a clean build gives and leaves a person’s files',
  async (t) => {
    const output = join(shared, 'public');
    spoil();
    // Of the same size and time, so that nobody sees that it has changed.
    const home = join(output, 'index.html');
    const { atime, mtime } = fs.statSync(home);
    fs.writeFileSync(home, fs.readFileSync(home, 'utf8').replace('<body', '<bodx'));
    fs.utimesSync(home, atime, mtime);
    fs.rmSync(join(shared, '.pressmark'), { recursive: true });

    const { code, stdout } = await build('--json');
    t.is(code, 0);
    t.like(JSON.parse(stdout), { removed: 1, failed: 0 });
    t.deepEqual(filesIn(output), { ...clean, 'mine.html': 'a person’s' });
  },
);
