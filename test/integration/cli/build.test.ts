import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { article } from '../../support/events.js';
import { runHere } from '../../support/in-process.js';
import { run, SITE_URL } from '../../support/receiver.js';
import { startHere } from '../../support/receiver-here.js';
import { SECRET } from '../../support/signer.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { withPlugins } from '../../support/with-plugins.js';

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
  const { code, stdout } = await runHere(['build', '--dir', dir], { PRESSMARK_SITE_URL: SITE_URL });
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

test('what a plugin leaves behind does not end a build, and is named', async (t) => {
  const dir = tempDir(t);
  withPlugins(dir, {
    throws: `export default { name: 'throws', pages(host) { host.addFilter('page.html', async (html) => {
      setTimeout(() => { null.x; }, 1);
      await new Promise((resolve) => setTimeout(resolve, 20));
      return html;
    }); } };`,
  });
  const env = { PRESSMARK_SECRET: SECRET, PRESSMARK_SITE_URL: SITE_URL };
  const { code, stdout, stderr } = await run(['build', '--dir', dir], env);
  t.is(code, 0, stderr);
  t.regex(stdout, /pages .* built/);
  t.is(stderr.split('plugin throws has thrown an error that nothing catches').length, 2, stderr);
});
