import fs from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import { createBuilder } from '../../../src/site/builder/builder.js';
import { manifestPath } from '../../../src/site/write/manifest.js';
import { builtAnew, type TestSite, testSite } from './test-site.js';

// The state folder, or the manifest in it, is deleted while builders are at work.

interface World {
  readonly site: TestSite;
  /** What a page filter does once, in the midst of a build. */
  once(act: () => void): void;
}

/** A site of several articles that its builder has built. */
async function builtSite(t: ExecutionContext): Promise<World> {
  const acts: (() => void)[] = [];
  const site = testSite(t, {
    pageSize: 3,
    addHooks: (hooks) =>
      hooks.addFilter(
        'page.html',
        (html) => {
          for (const act of acts.splice(0)) act();
          return html;
        },
        { plugin: 'deleting' },
      ),
  });
  const options = { ...site.options, fingerprint: 'of the filter' };
  for (let n = 1; n <= 5; n++) writeArticle(site, n);
  const builder = createBuilder(options);
  await builder.buildAll();
  return { site: { ...site, options, builder }, once: (act) => void acts.push(act) };
}

function writeArticle(site: TestSite, n: number): string {
  return site.write(`a${n}`, { date: `2026-01-0${n}T08:00:00Z` });
}

const LOSSES: Record<string, (site: TestSite) => void> = {
  'the state folder is deleted': ({ options }) => fs.rmSync(options.stateDir, { recursive: true }),
  'the manifest is deleted': ({ options }) => fs.rmSync(manifestPath(options)),
  'the manifest is emptied': ({ options }) => fs.truncateSync(manifestPath(options)),
};

for (const [what, lose] of Object.entries(LOSSES)) {
  test(`where ${what} between two builds, the next change leaves the whole site`, async (t) => {
    const { site } = await builtSite(t);
    lose(site);
    await site.builder.buildChanged([writeArticle(site, 6)]);
    t.deepEqual(site.output(), await builtAnew(site.options));
    t.true((await site.builder.newestPages(undefined))?.length === 6);
  });

  test(`where ${what} before a builder that was started again has looked at everything, no list loses an article`, async (t) => {
    const { site } = await builtSite(t);
    await site.builder.close();
    const next = createBuilder(site.options);
    t.true(await next.load());
    lose(site);
    await next.buildChanged([writeArticle(site, 6)]);
    t.deepEqual(site.output(), await builtAnew(site.options));
  });

  test(`where ${what} in the midst of a build, the site stays whole for this builder, others and the next start`, async (t) => {
    const { site, once } = await builtSite(t);
    const other = createBuilder(site.options);
    t.true(await other.load());
    once(() => lose(site));
    await site.builder.buildChanged([writeArticle(site, 6)]);
    t.deepEqual(site.output(), await builtAnew(site.options));
    await other.buildChanged([writeArticle(site, 7)]);
    t.deepEqual(site.output(), await builtAnew(site.options));
    once(() => lose(site));
    await site.builder.buildChanged([writeArticle(site, 8)]);
    const next = createBuilder(site.options);
    await next.load();
    await next.buildChanged([writeArticle(site, 9)]);
    t.deepEqual(site.output(), await builtAnew(site.options));
  });
}
