import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { SiteOutput } from '../../../src/host/pages/outputs.js';
import { createBuilder } from '../../../src/site/builder/builder.js';
import { siteIndex } from '../../../src/site/index/site-index.js';
import { pluginFiles } from '../../../src/site/outputs/plugin-files.js';
import { SITE_URL, testSite } from './test-site.js';

const LLMS: SiteOutput = {
  path: 'llms.txt',
  render: (_, { site, articles }) =>
    [`# ${site.title}`, ...[...articles].map(({ title, url }) => `- [${title}](${url})`), ''].join('\n'),
};

/** A page for each tag. */
const DECKS: SiteOutput = {
  path: 'decks/',
  paths: ({ articles }) =>
    new Set([...articles].flatMap(({ tags }) => tags.map((tag) => `decks/${tag}.txt`))),
  render: (path, { articles }) =>
    articles
      .tagged(path.slice(6, -4))
      .map(({ title }) => title)
      .join('\n'),
};

const added = (...outputs: SiteOutput[]) => outputs.map((output) => ({ plugin: 'test', output }));

test('a plugin has files of articles, which go with it', async (t) => {
  const site = testSite(t);
  const options = { ...site.options, outputs: added(LLMS, DECKS) };
  const builder = createBuilder(options);
  site.write('a', { tags: ['Soil'] });
  site.write('b', { tags: ['Soil', 'Bees'] });
  await builder.build('all');
  t.true(site.page('llms.txt').includes('- [Title of b](https://x.example/articles/b/)'));
  t.is(site.page('decks/Bees.txt'), 'Title of b');

  await builder.close();

  const without = createBuilder(site.options);
  await without.build('all');
  t.false(site.has('llms.txt') || site.has('decks'), 'they go with the plugin');
});

test('no article has its page where a plugin has files', async (t) => {
  const site = testSite(t);
  site.write('a', { url: `${SITE_URL}/decks/a/` });
  const options = { ...site.options, outputs: added(LLMS, DECKS) };
  await createBuilder(options).build('all');
  t.false(site.has('decks/a/index.html'));
  t.true(site.logged.some((line) => line.includes('/decks/a/')));
});

test('an output that fails is named in the log, keeps its files, and hurts no other', async (t) => {
  const site = testSite(t);
  site.write('a');
  const bad: SiteOutput = {
    path: 'bad.txt',
    render: () => {
      throw new Error('no words');
    },
  };
  const outside: SiteOutput = { path: 'out/', paths: () => ['../secret.txt'], render: () => '' };
  const nothing: SiteOutput = { path: 'nothing.txt', render: () => undefined as unknown as string };
  const options = { ...site.options, outputs: added(bad, outside, nothing, LLMS) };
  const report = await createBuilder(options).build('all');
  t.is(report.failed, 2);
  t.true(site.has('llms.txt') && site.has('articles/a/index.html'));
  const log = site.logged.join('');
  t.true(log.includes('output bad.txt of plugin test: no words'));
  t.true(log.includes('output nothing.txt of plugin test: render must return'));
  t.true(log.includes('is not a file in'));
  t.false(fs.existsSync(join(site.dir, 'secret.txt')));
});

test('where a plugin cannot say its files after a start, those that are there stay', async (t) => {
  const site = testSite(t);
  site.write('a', { tags: ['Soil'] });
  const decks = createBuilder({ ...site.options, outputs: added(DECKS) });
  await decks.build('all');
  await decks.close();
  const paths = () => JSON.parse('{');
  const failing = createBuilder({ ...site.options, outputs: added({ ...DECKS, paths }) });
  await failing.build('all');
  await failing.close();
  t.is(site.page('decks/Soil.txt'), 'Title of a');
});

test('an output that never ends fails after its time', async (t) => {
  const { options } = testSite(t);
  const [output] = added({ path: 'late.txt', render: () => new Promise<string>(() => undefined) });
  if (output === undefined) return t.fail();
  const index = siteIndex([], new Map(), () => false);
  const [file] = pluginFiles(output, options.site, options.log, 20)({ index, renderer: { key: '' } });
  await t.throwsAsync(async () => file?.render(), {
    message: 'output late.txt of plugin test: took longer than 20 ms',
  });
});
