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

test('a host gets the files it wants, and loses them with the config', async (t) => {
  const site = testSite(t);
  const present = () => ['.nojekyll', 'CNAME', '_headers'].filter((file) => site.has(file));
  await buildFor(site, ['github-pages']);
  t.deepEqual(present(), ['.nojekyll', 'CNAME']);
  t.is(site.page('CNAME'), 'x.example\n');
  await buildFor(site, ['netlify']);
  t.deepEqual(present(), ['_headers']);
  await buildFor(site, []);
  t.deepEqual(present(), []);
  for (const url of ['https://somebody.github.io', 'https://x.example/blog']) {
    await buildFor(site, ['github-pages'], { site: siteInfo(url) });
    t.deepEqual(present(), ['.nojekyll'], `${url} is no domain of one’s own`);
  }
});

test('_headers keeps hashed files for ever, no path has a header twice, and the policy is the theme’s or that of the config', async (t) => {
  const site = testSite(t);
  await buildFor(site, ['cloudflare-pages'], { site: siteInfo('https://x.example', { search: true }) });
  const [sheet] = fs.readdirSync(join(site.options.outputDir, 'assets'));
  const cache = '  Cache-Control: public, max-age=31536000, immutable';
  const kept = [`/assets/${sheet}`, '/pagefind/fragment/*', '/pagefind/index/*'];
  const lines = [
    ...['# Pressmark', '/*', '  X-Content-Type-Options: nosniff'],
    `  Content-Security-Policy: ${contentSecurityPolicy(themeLayers([]))}`,
    ...kept.flatMap((path) => [path, cache]),
  ];
  t.is(site.page('_headers'), `${lines.join('\n')}\n`);
  const policy = () => /^ {2}Content-Security-Policy: (.*)$/m.exec(site.page('_headers'))?.[1];
  await buildFor(site, ['netlify'], { contentSecurityPolicy: "default-src 'self' https://stats.example" });
  t.is(policy(), "default-src 'self' https://stats.example");
  await buildFor(site, ['netlify'], { contentSecurityPolicy: false });
  t.is(policy(), undefined);
});
