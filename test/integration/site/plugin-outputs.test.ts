import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { SiteOutput } from '../../../src/host/pages/outputs.js';
import { createBuilder } from '../../../src/site/builder/builder.js';
import { siteIndex } from '../../../src/site/index/site-index.js';
import { pluginFiles } from '../../../src/site/outputs/plugin-files.js';
import { SITE_URL, type TestSite, testSite } from './test-site.js';

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

/** Builds a site with the outputs of a plugin. @returns how many files failed. */
async function buildWith(
  t: ExecutionContext,
  { options }: TestSite,
  ...outputs: SiteOutput[]
): Promise<number> {
  const builder = createBuilder({
    ...options,
    outputs: outputs.map((output) => ({ plugin: 'test', output })),
  });
  t.teardown(() => builder.close());
  const { failed } = await builder.build('all');
  await builder.close();
  return failed;
}

test('a plugin has files of articles, which stay while it cannot say them, and go with it', async (t) => {
  const site = testSite(t);
  site.write('a', { tags: ['Soil'] });
  site.write('b', { tags: ['Soil', 'Bees'] });
  site.write('c', { url: `${SITE_URL}/decks/c/` });
  await buildWith(t, site, LLMS, DECKS);
  t.true(site.page('llms.txt').includes('- [Title of b](https://x.example/articles/b/)'));
  t.is(site.page('decks/Bees.txt'), 'Title of b');
  t.false(site.has('decks/c/index.html'), 'no article has its page there');

  await buildWith(t, site, { ...DECKS, paths: () => JSON.parse('{') });
  t.is(site.page('decks/Bees.txt'), 'Title of b');
  fs.rmSync(join(site.options.content.root, 'articles/c.md'));
  await buildWith(t, site);
  t.false(site.has('llms.txt') || site.has('decks'));
});

test('an output that fails is named in the log, and hurts no other', async (t) => {
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
  t.is(await buildWith(t, site, bad, outside, nothing, LLMS), 2);
  t.true(site.has('llms.txt') && site.has('articles/a/index.html'));
  const log = site.logged.join('');
  t.regex(log, /output bad\.txt of plugin test: no words/);
  t.regex(log, /output nothing\.txt of plugin test: render must return/);
  t.regex(log, /is not a file in/);
  t.false(fs.existsSync(join(site.dir, 'secret.txt')));
});

test('an output that never ends fails after its time', async (t) => {
  const { options } = testSite(t);
  const output: SiteOutput = { path: 'late.txt', render: () => new Promise<string>(() => undefined) };
  const index = siteIndex([], new Map(), () => false);
  const plan = pluginFiles({ plugin: 'test', output }, options.site, options.log, 20);
  const [file] = plan({ index, renderer: { key: '' } });
  await t.throwsAsync(async () => file?.render(), {
    message: 'output late.txt of plugin test: took longer than 20 ms',
  });
});
