import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { readHead } from '../../../../src/app/build/addresses/match-pages.js';
import { postbuild } from '../../../../src/deploy/build/postbuild.js';
import { tempDir } from '../../../support/temp-dir.js';

const siteUrl = 'https://garden.example';
const COMMENT = '<!-- svc:item:a -->';

/** Pages and articles that took hours when the time grew with the square of their length. */
const HOSTILE = {
  'JSON-LD that overlaps itself': { page: 'a'.repeat(500_000), jsonLd: `${'a'.repeat(100_000)}b` },
  'JSON-LD that is nearly there at each comment': {
    page: `<head>${'<!---->'.repeat(100_000)}</head>`,
    jsonLd: `${'<!---->'.repeat(30_000)}x`,
  },
  'item comments': {
    page: '<p>'.repeat(100_000),
    comments: Array.from({ length: 50_000 }, (_, n) => `<!-- svc:item:${n} -->`),
  },
};

for (const [name, { page, ...article }] of Object.entries(HOSTILE))
  test(`a page with ${name} is completed in time`, async (t) => {
    const output = tempDir(t);
    fs.writeFileSync(join(output, 'a.html'), page);
    const articles = [
      {
        path: 'a.md',
        url: `${siteUrl}/a`,
        jsonLd: '',
        comments: [COMMENT],
        state: 'live' as const,
        ...article,
      },
    ];
    const { checked, changed } = await postbuild({ siteUrl, output, articles });
    t.deepEqual({ checked, changed }, { checked: 1, changed: 1 });
  });

test('a page of headings is read in a time that grows with its length', (t) => {
  const { titles } = readHead('<h1>'.repeat(100_000));
  t.is(titles.length, 100_000);
});

test('where the time is up, the article whose page was being completed is named', async (t) => {
  const output = tempDir(t);
  fs.writeFileSync(join(output, 'a.html'), '<p>');
  const articles = [
    { path: 'a.md', url: `${siteUrl}/a`, jsonLd: '', comments: [COMMENT], state: 'live' as const },
  ];
  await t.throwsAsync(postbuild({ siteUrl, output, articles, timeoutMs: 0 }), {
    code: 'BUILD_FAILED',
    message: /^completing the pages took longer than 0 s, .* to the page of a\.md$/,
  });
  const signal = AbortSignal.abort(new Error('the end'));
  await t.throwsAsync(postbuild({ siteUrl, output, articles, signal }), { message: 'the end' });
});
