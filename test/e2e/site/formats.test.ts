import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { testSite } from '../../integration/site/test-site.js';

const SCHEMAS = fileURLToPath(new URL('../../../../test/e2e/schemas/', import.meta.url));

/** What xmllint says of a text; empty where it is valid. */
function complaintsOf(text: string, ...how: readonly string[]): string {
  try {
    execFileSync('xmllint', ['--nonet', '--noout', ...how, '-'], { input: text, stdio: 'pipe' });
    return '';
  } catch (error) {
    return error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error);
  }
}

/** By what each of the site's XML files is validated. */
const RULES = {
  'feed.xml': ['--relaxng', join(SCHEMAS, 'atom.rng')],
  'rss.xml': ['--relaxng', join(SCHEMAS, 'rss.rng')],
  'sitemap.xml': ['--schema', join(SCHEMAS, 'sitemap.xsd')],
  'favicon.svg': [],
};

const HOSTILE = `]]> <b>&amp; "quoted" 'x' & \u0000\u0008\ud800 ]]> ]]>`;

test('feeds, sitemap and favicon are valid, whatever stands in the articles', async (t) => {
  const site = testSite(t, { settings: { title: HOSTILE, description: HOSTILE, author: HOSTILE } });
  site.write('plain');
  site.write('hostile', {
    title: HOSTILE,
    description: HOSTILE,
    author: HOSTILE,
    tags: [HOSTILE],
    date: HOSTILE,
  });
  site.write('bare', { title: '', description: '', author: '', tags: [], contentHtml: '', body: '' });
  site.write('updated', { updated: '2026-11-05', image: 'https://img.example/a.png?x=1&y=2' });
  await site.builder.build('all');
  for (const [file, how] of Object.entries(RULES)) t.is(complaintsOf(site.page(file), ...how), '', file);
});

test('a site without articles has valid feeds', async (t) => {
  const site = testSite(t, { settings: { description: '', author: '', language: 'zh-Hant-TW' } });
  await site.builder.build('all');
  for (const [file, how] of Object.entries(RULES)) t.is(complaintsOf(site.page(file), ...how), '', file);
});
