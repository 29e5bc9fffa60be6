import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createBuilder } from '../../../src/site/builder/builder.js';
import type { Hosting, SiteOptions } from '../../../src/site/options.js';
import { contentSecurityPolicy } from '../../../src/site/render/content-security-policy.js';
import { themeLayers } from '../../../src/site/render/theme.js';
import { siteInfo } from '../../support/site-info.js';
import { type TestSite, testSite } from './test-site.js';

/** Builds the site anew as with another config. */
async function buildFor(
  { options }: TestSite,
  hosting: readonly Hosting[],
  changes: Partial<SiteOptions> = {},
): Promise<void> {
  const builder = createBuilder({ ...options, hosting, ...changes });
  await builder.build('all');
  await builder.close();
}

const OF_HOSTS = ['.nojekyll', 'CNAME', '_headers'];

test('a host gets the files it wants, and loses them with the config', async (t) => {
  const site = testSite(t);
  site.write('a');
  const present = () => OF_HOSTS.filter((file) => site.has(file));
  await buildFor(site, []);
  t.deepEqual(present(), []);
  await buildFor(site, ['github-pages']);
  t.deepEqual(present(), ['.nojekyll', 'CNAME']);
  t.deepEqual([site.page('.nojekyll'), site.page('CNAME')], ['', 'x.example\n']);
  await buildFor(site, ['netlify']);
  t.deepEqual(present(), ['_headers']);
  await buildFor(site, ['github-pages', 'cloudflare-pages']);
  t.deepEqual(present(), OF_HOSTS);
  await buildFor(site, []);
  t.deepEqual(present(), []);
  t.deepEqual(site.logged, []);
});

test('_headers has the policy of the theme, or of the config, or none', async (t) => {
  const site = testSite(t);
  const policy = () => /^ {2}Content-Security-Policy: (.*)$/m.exec(site.page('_headers'))?.[1];
  await buildFor(site, ['netlify']);
  t.regex(policy() ?? '', /^script-src 'self' 'wasm-unsafe-eval' 'sha256-[^;]*; default-src 'self'; /);
  await buildFor(site, ['netlify'], { contentSecurityPolicy: "default-src 'self' https://stats.example" });
  t.is(policy(), "default-src 'self' https://stats.example");
  await buildFor(site, ['netlify'], { contentSecurityPolicy: false });
  t.is(policy(), undefined);
  t.deepEqual(site.logged, []);
});

test('_headers keeps hashed files for ever, and no path has the same header twice', async (t) => {
  const site = testSite(t);
  await buildFor(site, ['cloudflare-pages'], { site: siteInfo('https://x.example', { search: true }) });
  const [sheet] = fs.readdirSync(join(site.options.outputDir, 'assets'));
  const policy = contentSecurityPolicy(themeLayers([]));
  const cache = '  Cache-Control: public, max-age=31536000, immutable';
  t.is(
    site.page('_headers'),
    [
      '# Pressmark',
      '/*',
      '  X-Content-Type-Options: nosniff',
      `  Content-Security-Policy: ${policy}`,
      `/assets/${sheet}`,
      cache,
      '/pagefind/fragment/*',
      cache,
      '/pagefind/index/*',
      cache,
      '',
    ].join('\n'),
  );
});

test('GitHub Pages gets no CNAME at its own address, nor below a path', async (t) => {
  for (const url of ['https://somebody.github.io', 'https://x.example/blog']) {
    const site = testSite(t, { url });
    await buildFor(site, ['github-pages']);
    t.true(site.has('.nojekyll'));
    t.false(site.has('CNAME'), url);
  }
});
