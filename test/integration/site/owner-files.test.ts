import fs from 'node:fs';
import { basename, join } from 'node:path';
import test from 'ava';
import { put, testSite } from './test-site.js';

test('files in static/ go to the site as they are, in place of the site’s own, and leave it when they are removed', async (t) => {
  const site = testSite(t);
  site.write('a');
  const mine = (file: string) => join(site.options.staticDir, file);
  put(mine('robots.txt'), 'User-agent: mine\n');
  put(mine('papers/one.txt'), 'One');
  put(mine('.well-known/security.txt'), 'Contact: me');
  put(mine('.DS_Store'), 'x');
  await site.builder.build('all');
  t.is(site.page('robots.txt'), 'User-agent: mine\n');
  t.is(site.page('papers/one.txt'), 'One');
  t.is(site.page('.well-known/security.txt'), 'Contact: me');
  t.false(site.has('.DS_Store'));

  put(mine('papers/one.txt'), 'Another');
  fs.rmSync(mine('robots.txt'));
  await site.builder.build('all');
  t.is(site.page('papers/one.txt'), 'Another');
  t.regex(site.page('robots.txt'), /Sitemap:/);
  fs.rmSync(mine('papers'), { recursive: true });
  await site.builder.build('all');
  t.false(site.has('papers'));
});

test('a link out of static/ or out of a theme’s files publishes nothing, and what it has published goes', async (t) => {
  const site = testSite(t);
  site.write('a');
  const { staticDir, templatesDir } = site.options;
  put(join(site.dir, '.env'), 'PRESSMARK_SECRET=of-the-site');
  put(join(staticDir, 'own.txt'), 'Mine');
  for (const folder of [staticDir, join(templatesDir, 'assets'), join(templatesDir, 'root')]) {
    fs.mkdirSync(folder, { recursive: true });
    fs.symlinkSync(join(site.dir, '.env'), join(folder, `out-of-${basename(folder)}.txt`));
  }
  fs.symlinkSync('own.txt', join(staticDir, 'within.txt'));
  await site.builder.build('all');
  const published = Object.entries(site.output());
  t.deepEqual(
    published.filter(([file, text]) => file.includes('out-of') || text.includes('of-the-site')),
    [],
  );
  t.is(site.page('within.txt'), 'Mine');
  t.regex(site.logged.join(''), /"link":"out-of-static\.txt".*it leads out of that folder/);

  fs.rmSync(join(staticDir, 'own.txt'));
  put(join(site.dir, 'elsewhere.txt'), 'Another');
  fs.symlinkSync(join(site.dir, 'elsewhere.txt'), join(staticDir, 'own.txt'));
  await site.builder.build('all');
  t.false(site.has('own.txt'));
});

test('nothing is written into an output folder that another program has written', async (t) => {
  const site = testSite(t);
  site.write('a');
  const theirs = join(site.options.outputDir, 'index.html');
  put(theirs, '<title>Theirs</title>');
  await t.throwsAsync(site.builder.build('all'), {
    code: 'CONFIG_INVALID',
    message: /public\/ holds files that Pressmark did not write, such as index\.html; move them to static\//,
  });
  t.deepEqual(Object.keys(site.output()), ['index.html']);
  fs.rmSync(theirs);
  t.is((await site.builder.build('all')).failed, 0);
});
