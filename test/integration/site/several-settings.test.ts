import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { BuildStopped } from '../../../src/site/builder/build-queue.js';
import { createBuilder } from '../../../src/site/builder/builder.js';
import { manifestPath } from '../../../src/site/write/manifest.js';
import { killProcess, outputOf, startBuilderProcess } from '../../support/site-kills.js';
import { builtAnew, put, testSite } from './test-site.js';

/** More files than are tried again with every change. */
const MANY = 520;

/** A site of many files, the builder that has built it, and one that was started later with other settings. */
async function twoBuilders(t: ExecutionContext, articles: number) {
  const old = testSite(t, { settings: { title: 'Old' } });
  for (let n = 0; n < articles; n++) old.write(`a${n}`, { tags: [] });
  await old.builder.buildAll();
  const options = { ...old.options, site: { ...old.options.site, title: 'New', accent: OTHER } };
  const renewed = createBuilder(options);
  await renewed.buildAll();
  return { old, renewed, options };
}

test('of two builders with different settings the one that was started later builds a change, and nothing else', async (t) => {
  const { old, renewed, options } = await twoBuilders(t, MANY);
  // As in a rolling deploy: the old one hears of a delivery first.
  const path = old.write('late');
  for (const build of [() => old.builder.buildChanged([path]), () => old.builder.buildAll()])
    t.like(await build(), { isYielded: true, pages: 0, files: [] });
  const { written } = await renewed.buildChanged([path]);
  t.true(written > 0 && written < 50, `${written} files`);
  t.like(await renewed.buildAll(), { written: 0, removed: 0 });
  t.deepEqual(await renewed.check(), []);
  t.deepEqual(old.output(), await builtAnew(options));
  t.is(old.logged.filter((line) => line.includes('all pages are left to it')).length, 1);
});

test('where the builder that was started later has ended, the other one builds the whole site again', async (t) => {
  for (const end of ['at a change', 'at a look at everything']) {
    const { old, renewed } = await twoBuilders(t, 3);
    const path = old.write('late');
    t.true((await old.builder.buildChanged([path])).isYielded);
    await renewed.close();
    const report = await (end === 'at a change' ? old.builder.buildChanged([]) : old.builder.buildAll());
    t.falsy(report.isYielded);
    t.deepEqual(await old.builder.check(), []);
    t.deepEqual(old.output(), await builtAnew(old.options));
  }
});

test('where the process that was started later is killed, the other one builds the whole site again', async (t) => {
  const old = testSite(t, { pageSize: 2, settings: { title: 'Old' } });
  for (let n = 0; n < 3; n++) old.write(`a${n}`);
  await old.builder.buildAll();
  const child = await startBuilderProcess(old.dir);
  t.teardown(() => killProcess(child));
  const path = old.write('late');
  t.true((await old.builder.buildChanged([path])).isYielded);
  await killProcess(child);
  t.falsy((await old.builder.buildChanged([])).isYielded);
  t.deepEqual(outputOf(old), await builtAnew(old.options));
  // What a killed process has left to show that it is alive goes with the next one that shows itself.
  t.is(fs.readdirSync(join(old.options.stateDir, 'build/builders')).length, 1);
});

test('where a build of many files with other settings has not come to its end, the other builder corrects all of them', async (t) => {
  const old = testSite(t, { settings: { title: 'Old' } });
  for (let n = 0; n < MANY + 200; n++) old.write(`a${n}`, { tags: [] });
  await old.builder.buildAll();
  const renewed = createBuilder({ ...old.options, site: { ...old.options.site, title: 'New' } });
  let closed: Promise<void> | undefined;
  const onProgress = (done: number) => {
    if (done > MANY + 20) closed ??= renewed.close();
  };
  await t.throwsAsync(renewed.buildAll({ onProgress }), { instanceOf: BuildStopped });
  await closed;
  await old.builder.buildChanged([old.write('late')]);
  t.deepEqual(old.output(), await builtAnew(old.options));
  // The manifest has all of that.
  const { pages } = await createBuilder(old.options).buildAll();
  t.true(pages < 50, `${pages} pages`);
});

/** A site whose article pages fail while `isBroken` says so. */
function brokenSite(t: ExecutionContext, isBroken: () => boolean) {
  return testSite(t, {
    addHooks: (hooks) =>
      hooks.addFilter(
        'page.html',
        (html, { kind }) => {
          if (isBroken() && kind === 'article') throw new Error('broken');
          return html;
        },
        { plugin: 'test' },
      ),
  });
}

test('where more pages have failed than the manifest names, and are built later, the next start builds nothing again', async (t) => {
  let isBroken = true;
  const site = brokenSite(t, () => isBroken);
  const builder = createBuilder({ ...site.options, fingerprint: 'the same' });
  for (let n = 0; n < MANY; n++) site.write(`a${n}`, { tags: [] });
  t.is((await builder.buildAll()).failed, MANY);
  isBroken = false;
  await builder.buildChanged([site.write('late')]);
  await builder.buildChanged([]);
  t.deepEqual(await builder.check(), []);
  const { pages } = await createBuilder({ ...site.options, fingerprint: 'the same' }).buildAll();
  t.true(pages < 50, `${pages} pages`);
});

test('of two builders with different settings whose pages nearly all fail, too, the one that was started later builds the site', async (t) => {
  const old = brokenSite(t, () => true);
  for (let n = 0; n < MANY; n++) old.write(`a${n}`, { tags: [] });
  await old.builder.buildAll();
  const renewed = createBuilder({ ...old.options, site: { ...old.options.site, title: 'New' } });
  t.is((await renewed.buildAll()).failed, MANY);
  t.true((await old.builder.buildChanged([old.write('late')])).isYielded);
  t.true(old.page('index.html').includes('<title>New'));
});

test('a start between a build of which nearly all has failed and the next does not make the site pass for complete', async (t) => {
  let isBroken = true;
  const site = brokenSite(t, () => isBroken);
  const options = { ...site.options, fingerprint: 'the same' };
  for (let n = 0; n < MANY; n++) site.write(`a${n}`, { tags: [] });
  await createBuilder(options).buildAll();
  isBroken = false;
  const starting = createBuilder(options);
  await starting.load();
  await starting.buildChanged([site.write('late')]);
  await starting.close();
  await createBuilder(options).buildAll();
  t.deepEqual(site.output(), await builtAnew(options));
});

test('a build of which nearly all has failed does not forget what a killed one has left', async (t) => {
  let isBroken = false;
  const site = brokenSite(t, () => isBroken);
  put(join(site.options.templatesDir, 'layout.eta'), '<title>Plain</title><%~ it.body %>\n');
  for (let n = 0; n < MANY; n++) site.write(`a${n}`, { tags: [] });
  await site.builder.buildAll();
  // Of a build that was killed before it had put the page into its place.
  const line = { file: 'articles/a0/index.html', is: { size: 1, mtimeMs: 1, crc: 1 } };
  fs.appendFileSync(manifestPath(site.options), `${JSON.stringify(line)}\n`);
  isBroken = true;
  await createBuilder(site.options).buildAll({ force: true });
  isBroken = false;
  site.write('a0', { title: 'Newer', tags: [] });
  await createBuilder(site.options).buildAll();
  t.true(site.page('articles/a0/index.html').includes('Newer'));
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
