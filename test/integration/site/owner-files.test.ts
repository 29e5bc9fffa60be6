import fs from 'node:fs';
import { basename, join } from 'node:path';
import test from 'ava';
import { put, testSite } from './test-site.js';

test('files in static/ go to the site as they are, in place of the site’s own, and leave it when they are removed', async (t) => {
  const site = testSite(t);
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

  put(mine('.well-known/security.txt'), 'Another');
  for (const file of ['robots.txt', 'papers']) fs.rmSync(mine(file), { recursive: true });
  await site.builder.build('all');
  t.is(site.page('.well-known/security.txt'), 'Another');
  t.regex(site.page('robots.txt'), /Sitemap:/);
  t.false(site.has('papers'));
});

test('a link out of static/ or out of a theme’s files publishes nothing, and what it has published goes', async (t) => {
  const site = testSite(t);
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
  t.regex(site.logged.join(''), /"link":"out-of-static\.txt".*leads out of that folder/);

  fs.rmSync(join(staticDir, 'own.txt'));
  fs.symlinkSync(join(site.dir, '.env'), join(staticDir, 'own.txt'));
  await site.builder.build('all');
  t.false(site.has('own.txt'));
});
