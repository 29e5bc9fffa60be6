import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createBuilder } from '../../../src/site/builder/builder.js';
import { manifestPath } from '../../../src/site/write/manifest.js';
import { forgetBoot } from '../../support/boot.js';
import { pathOf, put, type TestSite, testSite } from './test-site.js';

// What the owner puts into the output folder after Pressmark was killed, or while it does not run, stays.

const PAGE = 'articles/a2/index.html';
const LONG_AGO = new Date('2020-01-01T00:00:00Z');
const MINUTES_LATER = () => new Date(Date.now() + 300_000);

const fileIn = ({ options }: TestSite, file: string) => join(options.outputDir, file);

/** Puts a file of the owner's, which may have kept its time, as a copy has it. */
function putMine(site: TestSite, file: string, time: Date, text = 'mine'): void {
  put(fileIn(site, file), text);
  fs.utimesSync(fileIn(site, file), time, time);
}

function removeArticle({ options }: TestSite, slug: string): string {
  fs.rmSync(join(options.content.root, pathOf(slug)));
  return pathOf(slug);
}

async function startAgain({ options }: TestSite): Promise<void> {
  const builder = createBuilder(options);
  await builder.load();
  await builder.buildAll();
}

/** Each way in which an address of the owner's may be known to Pressmark. */
const SEQUENCES: Record<string, (site: TestSite) => Promise<void>> = {
  'was announced by a build that was killed': async (site) => {
    await site.builder.buildAll();
    fs.appendFileSync(manifestPath(site.options), `{"announced":["${PAGE}"]}\n`);
    site.write('a2');
  },
  'was announced, and has no page any more': async (site) => {
    await site.builder.buildAll();
    fs.appendFileSync(manifestPath(site.options), `{"announced":["${PAGE}"]}\n`);
  },
  'had the page of an article that was removed': async (site) => {
    site.write('a2');
    await site.builder.buildAll();
    await site.builder.buildChanged([removeArticle(site, 'a2')]);
    await site.builder.buildChanged([site.write('a3')]);
  },
  'had the page of an article whose address has changed': async (site) => {
    site.write('a2');
    await site.builder.buildAll();
    await site.builder.buildChanged([site.write('a2', { url: 'https://x.example/elsewhere/' })]);
  },
};

for (const [what, prepare] of Object.entries(SEQUENCES)) {
  test(`a file of the owner’s stays at an address that ${what}`, async (t) => {
    const site = testSite(t);
    site.write('a1');
    await prepare(site);
    putMine(site, PAGE, LONG_AGO);
    await startAgain(site);
    await startAgain(site);
    t.is(site.page(PAGE), 'mine');
  });

  test(`after another boot, too, a file of the owner’s stays at an address that ${what}`, async (t) => {
    const site = testSite(t);
    site.write('a1');
    await prepare(site);
    putMine(site, PAGE, MINUTES_LATER());
    forgetBoot(site.options.stateDir);
    await startAgain(site);
    t.is(site.page(PAGE), 'mine');
  });
}

test('a file of the owner’s in the place of a built one stays after a kill, however old it is', async (t) => {
  for (const file of ['robots.txt', PAGE]) {
    const site = testSite(t);
    site.write('a2');
    await site.builder.buildAll();
    putMine(site, file, LONG_AGO);
    site.write('a2', { title: 'Newer' });
    await site.builder.buildChanged([pathOf('a2')]);
    await startAgain(site);
    t.is(site.page(file), 'mine');
    removeArticle(site, 'a2');
    await startAgain(site);
    t.is(site.page(file), 'mine');
  }
});

test('a file of the owner’s that a build has kept stays after another boot, too, however old it is', async (t) => {
  for (const slugs of [[], ['a2']]) {
    const site = testSite(t);
    site.write('a1');
    site.write('a2');
    await site.builder.buildAll();
    putMine(site, PAGE, LONG_AGO);
    site.write('a2', { title: 'Newer' });
    await site.builder.buildChanged([pathOf('a2'), ...slugs.map((slug) => removeArticle(site, slug))]);
    forgetBoot(site.options.stateDir);
    await startAgain(site);
    t.is(site.page(PAGE), 'mine');
  }
});

test('an empty file of the owner’s in the place of a built one stays', async (t) => {
  const site = testSite(t);
  site.write('a1');
  await site.builder.buildAll();
  putMine(site, 'robots.txt', new Date(), '');
  await site.builder.buildAll({ force: true });
  await startAgain(site);
  t.is(site.page('robots.txt'), '');
});

test('an output folder that was emptied is built again at the next change', async (t) => {
  for (const removed of ['public', 'public/*']) {
    const site = testSite(t);
    for (const slug of ['a1', 'a2']) site.write(slug);
    await site.builder.buildAll();
    const before = site.output();
    const { outputDir } = site.options;
    const names = removed === 'public' ? [''] : fs.readdirSync(outputDir);
    for (const name of names) fs.rmSync(join(outputDir, name), { recursive: true });
    await site.builder.buildChanged([pathOf('a1')]);
    t.deepEqual(site.output(), before);
  }
});
