import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { createBuilder } from '../../../src/site/builder/builder.js';
import { builtAnew, put, testSite } from './test-site.js';

const MAGAZINE = fileURLToPath(new URL('../../../../examples/magazine-theme', import.meta.url));

test('the magazine theme shows a lead story and a grid of pictures', async (t) => {
  const site = testSite(t);
  for (const [n, image] of ['https://img.example/a.png', null, null].entries())
    site.write(`a${n}`, { date: `2026-01-0${n + 1}`, image, extra: n === 0 ? { series: 'Soil' } : {} });
  put(
    join(site.options.content.root, 'pages/about.md'),
    '---\ntitle: About\nlayout: landing\n---\nWe *grow*.\n',
  );
  const magazine = { kind: 'theme', dir: join(MAGAZINE, 'templates') } as const;
  const options = { ...site.options, themeDirs: [magazine, ...site.options.themeDirs] };
  const builder = createBuilder(options);
  t.is((await builder.build('all')).failed, 0, site.logged.join(''));
  t.deepEqual(site.output(), await builtAnew(options));
  await builder.close();
  const home = site.page('index.html');
  t.regex(home, /<article class="lead-story">[\s\S]*Title of a2[\s\S]*<ul class="grid">/);
  t.is(home.match(/<li><article>/g)?.length, 2);
  t.true(
    home.includes('<p class="section" dir="auto">Soil</p>') &&
      home.includes('<img src="https://img.example/a.png"'),
  );
  t.true(site.page('tags/one/index.html').includes('class="grid"'));
  t.true(site.page('about/index.html').includes('class="landing"'));
});
