import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { themeOf } from '../../../src/app/builder/theme.js';
import { createBuilder } from '../../../src/site/builder/builder.js';
import { tryTheme } from '../../../src/site/render/try-theme.js';
import { put, testSite } from './test-site.js';

const MAGAZINE = fileURLToPath(new URL('../../../../examples/magazine-theme', import.meta.url));

/** The theme's folders and settings, for a site that sets some of them. */
const magazine = (settings: Record<string, unknown> = {}) =>
  themeOf({ dir: MAGAZINE, site: { theme: [MAGAZINE, settings] } as never });

test('the magazine theme makes a page of every kind', async (t) => {
  const { options } = testSite(t);
  const { dirs, settings } = magazine();
  const site = { ...options.site, theme: settings };
  t.deepEqual(await tryTheme(dirs, site, options.hooks, [], options.log), []);
});

test('the magazine theme shows a lead story and a grid of pictures, with the settings of the site', async (t) => {
  const site = testSite(t);
  for (const [n, image] of ['https://img.example/a.png', null, null].entries())
    site.write(`a${n}`, { date: `2026-01-0${n + 1}`, image, extra: n === 0 ? { series: 'Soil' } : {} });
  put(
    join(site.options.content.root, 'pages/about.md'),
    '---\ntitle: About\nlayout: landing\n---\nWe *grow*.\n',
  );
  const built = async (given: Record<string, unknown>) => {
    const { dirs, settings } = magazine(given);
    const builder = createBuilder({
      ...site.options,
      themeDirs: [...dirs, site.options.templatesDir],
      site: { ...site.options.site, theme: settings },
    });
    t.is((await builder.buildAll()).failed, 0, site.logged.join(''));
    t.deepEqual(await builder.check(), []);
    await builder.close();
    return site.page('index.html');
  };
  const home = await built({ columns: 4 });
  t.regex(
    home,
    /<article class="lead-story">[\s\S]*Title of a2[\s\S]*<ul class="grid" style="--columns: 4">/,
  );
  t.is(home.match(/<li><article>/g)?.length, 2);
  t.true(
    home.includes('<p class="section">Soil</p>') && home.includes('<img src="https://img.example/a.png"'),
  );
  t.true(site.page('tags/one/index.html').includes('class="grid"'));
  t.true(site.page('about/index.html').includes('class="landing"'));
  const plain = await built({ lead: false });
  t.false(plain.includes('lead-story'));
  t.is(plain.match(/<li><article>/g)?.length, 3);
});
