import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { type Builder, createBuilder } from '../../../src/site/builder/builder.js';
import { builtAnew, put, type TestSite, testSite } from './test-site.js';

// At a start the first deliveries are built before everything has been looked at.

async function builtSite(t: ExecutionContext): Promise<TestSite> {
  const site = testSite(t, { pageSize: 3 });
  for (let n = 1; n <= 9; n++)
    site.write(`a${n}`, { date: new Date(Date.UTC(2026, 0, n)).toISOString(), tags: ['One', `Of ${n % 3}`] });
  await site.builder.buildAll();
  await site.builder.close();
  return site;
}

/** Starts again, and builds an article before anything else has been looked at. */
async function startWith(site: TestSite, slug: string): Promise<Builder> {
  const builder = createBuilder(site.options);
  const stands = await builder.load();
  if (!stands) throw new Error('the site does not stand');
  await builder.buildChanged([site.write(slug, { date: '2026-02-01T08:00:00Z', tags: ['One'] })]);
  return builder;
}

test('the first change after a start is built from what was built last, with the lists that it is on', async (t) => {
  const site = await builtSite(t);
  await startWith(site, 'first');
  t.deepEqual(site.output(), await builtAnew(site.options));
});

test('what has changed while nothing ran is built by the first build of everything, also where a kill came between', async (t) => {
  for (const isKilled of [false, true]) {
    const site = await builtSite(t);
    const edited = join(site.options.content.root, 'articles/a7.md');
    fs.appendFileSync(edited, 'more words');
    fs.rmSync(join(site.options.content.root, 'articles/a8.md'));
    put(join(site.dir, 'templates/partials/footer.eta'), '<footer>Another one</footer>\n');
    const builder = await startWith(site, 'first');
    t.true(site.page('articles/first/index.html').includes('Another one'));
    t.false(site.page('articles/a7/index.html').includes('more words'));
    await (isKilled ? createBuilder(site.options) : builder).buildAll();
    t.deepEqual(site.output(), await builtAnew(site.options));
  }
});

test('a site that was never built does not stand, and its first change builds everything', async (t) => {
  const site = testSite(t);
  site.write('one');
  t.false(await site.builder.load());
  await site.builder.buildChanged([site.write('two')]);
  t.deepEqual(site.output(), await builtAnew(site.options));
});

test('a page that was removed is built again at the start', async (t) => {
  const site = await builtSite(t);
  fs.rmSync(join(site.dir, 'public/articles/a9/index.html'));
  t.true(await createBuilder(site.options).load());
  t.deepEqual(site.output(), await builtAnew(site.options));
});

test('after a first change whose build failed, the next change has everything looked at', async (t) => {
  const site = await builtSite(t);
  const manifest = join(site.options.stateDir, 'site-manifest.ndjson');
  const builder = createBuilder(site.options);
  t.true(await builder.load());
  fs.rmSync(manifest);
  fs.mkdirSync(manifest);
  await t.throwsAsync(builder.buildChanged([site.write('first')]), { code: 'EISDIR' });
  fs.rmdirSync(manifest);
  await builder.buildChanged([site.write('second')]);
  t.deepEqual(site.output(), await builtAnew(site.options));
});
