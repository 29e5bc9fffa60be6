import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { readHead } from '../../../../src/app/build/addresses/match-pages.js';
import { postbuild } from '../../../../src/deploy/build/postbuild.js';
import { tempDir } from '../../../support/temp-dir.js';

/** A page, and what completes it with an article. */
function built(t: ExecutionContext, page: string, article: { jsonLd?: string; comments?: string[] } = {}) {
  const output = tempDir(t);
  fs.writeFileSync(join(output, 'a.html'), page);
  const siteUrl = 'https://garden.example';
  const common = { jsonLd: '', comments: ['<!-- svc:item:a -->'], state: 'live' as const };
  return { siteUrl, output, articles: [{ path: 'a.md', url: `${siteUrl}/a`, ...common, ...article }] };
}

test('pages and articles for which the time grew with the square of their length are read and completed in time', async (t) => {
  for (const [page, article] of [
    ['a'.repeat(500_000), { jsonLd: `${'a'.repeat(100_000)}b` }],
    [`<head>${'<!---->'.repeat(50_000)}</head>`, { jsonLd: `${'<!---->'.repeat(20_000)}x` }],
    ['<p>'.repeat(50_000), { comments: Array.from({ length: 25_000 }, (_, n) => `<!-- svc:item:${n} -->`) }],
  ] as const)
    t.like(await postbuild(built(t, page, article)), { checked: 1, changed: 1 }, page.slice(0, 20));
  t.is(readHead('<h1>'.repeat(100_000)).titles.length, 100_000);
});

test('where the time is up, the article whose page was being completed is named', async (t) => {
  const site = built(t, '<p>');
  await t.throwsAsync(postbuild({ ...site, timeoutMs: 0 }), {
    code: 'BUILD_FAILED',
    message: /^completing the pages took longer than 0 s, .* to the page of a\.md$/,
  });
  const signal = AbortSignal.abort(new Error('the end'));
  await t.throwsAsync(postbuild({ ...site, signal }), { message: 'the end' });
});
