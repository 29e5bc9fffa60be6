import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createBuilder } from '../../../src/site/builder/builder.js';
import { put, type TestSite, testSite } from './test-site.js';

// What other pages show of a page that the owner wrote is its link alone.

const ABOUT = '---\ntitle: About us\nnavigation: true\norder: 2\n---\nWe *write*.\n';
const HALF_AN_EDIT = '---\ntitle: ["About\n---\n';
const LINK = '<a href="/about/">About us</a>';

function writePage(site: TestSite, text: string | undefined, name = 'about'): void {
  const path = join(site.options.content.root, `pages/${name}.md`);
  if (text === undefined) fs.rmSync(path);
  else put(path, text);
}

/** A site with a page, and the paths of all pages that were rendered. */
async function siteWithPage(t: ExecutionContext): Promise<{ site: TestSite; rendered: string[] }> {
  const rendered: string[] = [];
  const site = testSite(t, {
    addHooks: (hooks) =>
      hooks.addFilter(
        'page.html',
        (html, { path }) => {
          rendered.push(path);
          return html;
        },
        { plugin: 'watching' },
      ),
  });
  const known = { ...site, options: { ...site.options, setupKey: () => 'of the filter' } };
  for (const slug of ['a', 'b']) site.write(slug);
  writePage(site, ABOUT);
  const builder = createBuilder(known.options);
  t.is((await builder.build('all')).failed, 0);
  rendered.length = 0;
  return { site: { ...known, builder }, rendered };
}

test('a page that is malformed for a while keeps its link and its last text, also after a start, and is reported', async (t) => {
  const { site } = await siteWithPage(t);
  const before = site.output();
  writePage(site, HALF_AN_EDIT);
  await site.builder.build('all');
  t.deepEqual(site.output(), before);
  t.true(site.logged.some((line) => line.includes('pages/about.md') && line.includes('malformed')));
  await site.builder.close();

  put(join(site.options.templatesDir, 'partials/footer.eta'), '<footer>Another one</footer>\n');
  const again = createBuilder(site.options);
  await again.build('all');
  for (const file of ['index.html', 'articles/a/index.html', '404.html'])
    t.true(site.page(file).includes(LINK), file);
  const about = site.page('about/index.html');
  t.true(about.includes('We <em>write</em>.') && about.includes('Another one'));
  t.true(site.page('sitemap.xml').includes('https://x.example/about/'));

  writePage(site, ABOUT.replace('write', 'dig'));
  await again.build('all');
  t.true(site.page('about/index.html').includes('We <em>dig</em>.'));
});
