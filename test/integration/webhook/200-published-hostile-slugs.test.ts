import { basename } from 'node:path';
import test from 'ava';
import { articleFiles, fileOf } from '../../support/content.js';
import { article } from '../../support/events.js';
import { SITE_URL, STORE_ONLY, sharedReceiver } from '../../support/receiver.js';

const receiver = sharedReceiver(test, STORE_ONLY);

const SLUGS = [
  '',
  ' ',
  '.',
  '..',
  '../../../../etc/passwd',
  '..\\..\\windows',
  '/absolute',
  'a/b/c',
  'C:\\con',
  'con',
  'NUL',
  'index',
  'tags',
  '-rf',
  '--',
  '.hidden',
  '_draft',
  'a\u0000b',
  'line\nbreak',
  '%2e%2e%2f',
  '?query#fragment',
  '<script>alert(1)</script>',
  '$(reboot) `id` ; rm',
  ':slug',
  '😀😀',
  'Ünïcödé straße',
  'Ελλάδα',
  '你好',
  '\u202egnp.exe',
  'x'.repeat(5_000),
  '😀'.repeat(3_000),
];

for (const slug of SLUGS) {
  test(`slug ${JSON.stringify(slug.slice(0, 40))}`, async (t) => {
    const data = article({ slug });
    const { status, json } = await receiver().post('article.published', data);
    t.is(status, 200);

    const path = fileOf(receiver().dir, data.id);
    t.regex(
      path.slice(receiver().dir.length),
      /^\/content\/articles\/2026\/11\/[a-z0-9][a-z0-9-]{0,79}\.md$/,
    );
    t.is(json.url, `${SITE_URL}/articles/${basename(path, '.md')}/`);
    t.notRegex(basename(path), /^(?:con|nul|index|tags)\.md$/);
    t.is((await receiver().find(json.url)).id, data.id);
  });
}

test.after('every article got a file of its own', (t) => {
  t.is(articleFiles(receiver().dir).length, SLUGS.length);
});
