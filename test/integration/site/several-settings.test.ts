import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { type Builder, createBuilder } from '../../../src/site/builder/builder.js';
import { builtAnew, put, testSite } from './test-site.js';

/** More files than are tried again with every change. */
const MANY = 520;

/** Builds a change, and everything where another process has built with other settings, as the plugin does. */
async function follow(builder: Builder, path: string): Promise<void> {
  const { isOutdated } = await builder.buildChanged([path]);
  if (isOutdated) await builder.buildAll();
}

test('two builders with different settings on one folder leave a site of one kind, also where it has very many files', async (t) => {
  const old = testSite(t, { settings: { title: 'Old' } });
  for (let n = 0; n < MANY; n++) old.write(`a${n}`, { tags: [] });
  await old.builder.buildAll();
  const renewed = createBuilder({
    ...old.options,
    site: { ...old.options.site, title: 'New', accent: OTHER },
  });
  await renewed.buildAll();

  // As in a rolling deploy: the old one hears of a delivery first.
  const path = old.write('late');
  await follow(old.builder, path);
  t.deepEqual(await old.builder.check(), []);
  await follow(renewed, path);
  t.deepEqual(await renewed.check(), []);
  t.deepEqual(
    old.output(),
    await builtAnew({ ...old.options, site: { ...old.options.site, title: 'New', accent: OTHER } }),
  );
});

const OTHER = { light: '#004488', dark: '#88ccff' };

test('no page is written before the style sheet that it links', async (t) => {
  const missing: string[] = [];
  const site = testSite(t, {
    addHooks: (hooks) =>
      hooks.addFilter(
        'page.html',
        (html, { path }) => {
          const style = /href="\/(assets\/style[^"]+)"/.exec(html)?.[1] ?? '';
          if (!fs.existsSync(join(site.options.outputDir, style))) missing.push(path);
          return html;
        },
        { plugin: 'test' },
      ),
  });
  site.write('a');
  await site.builder.buildAll();
  put(join(site.options.templatesDir, 'custom.css'), 'p { color: green }');
  await site.builder.buildAll();
  await site.builder.close();

  // A start with another style sheet, and a delivery that is built before everything has been looked at.
  put(join(site.options.templatesDir, 'custom.css'), 'p { color: blue }');
  const again = createBuilder(site.options);
  await again.load();
  await again.buildChanged([site.write('b')]);
  t.deepEqual(missing, []);
});
