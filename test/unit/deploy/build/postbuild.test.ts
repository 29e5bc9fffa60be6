import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { type BuiltArticle, completePage, postbuild } from '../../../../src/deploy/build/postbuild.js';
import { fc } from '../../../support/property.js';
import { tempDir, writeFiles } from '../../../support/temp-dir.js';

const JSON_LD = '<script type="application/ld+json">{"@type":"Article","headline":"Soil"}</script>';
const COMMENT = '<!-- svc:item:soil-1 -->';

const page = (body: string, head = '<title>Soil</title>') =>
  `<!doctype html>\n<html><head>${head}</head>\n<body>${body}</body></html>\n`;

test('the JSON-LD is put at the end of the head, and the comment at the end of the body', (t) => {
  const { html, problems } = completePage(page('<article><h1>Soil</h1><p>Text</p></article>'), JSON_LD, [
    COMMENT,
  ]);
  t.deepEqual(problems, []);
  t.is(html, page(`<article><h1>Soil</h1><p>Text</p></article>${COMMENT}`, `<title>Soil</title>${JSON_LD}`));
});

test('the ends of head and body are found whatever looks like them, and what is not markup does not count', (t) => {
  const head = `<!-- </head>${JSON_LD} --><script>"</head>"</script><meta content="</head>"><title></head></title>`;
  const body = `<!-- </body> --><script>"</body>${COMMENT}"</script><p title="</body>">x`;
  const { html } = completePage(`<html><head>${head}</HEAD ><body>${body}</body>`, JSON_LD, [COMMENT]);
  t.is(html, `<html><head>${head}${JSON_LD}</HEAD ><body>${body}${COMMENT}</body>`);
  t.is(completePage('<html><p>x</html>', '', [COMMENT]).html, `<html><p>x${COMMENT}</html>`);
});

test('JSON-LD that looks like HTML stays as it is, and is inserted once', (t) => {
  const jsonLd =
    '<script type="application/ld+json">{"@type":"Article","text":"</head><body>$& -->"}</script>';
  const { html } = completePage(page('<p>x'), jsonLd, []);
  t.is(html, page('<p>x', `<title>Soil</title>${jsonLd}`));
  t.is(completePage(html, jsonLd, []).html, html);
});

test('a head without a closing tag ends before the body; a page without a head is reported', (t) => {
  t.is(completePage('<title>x</title><body><p>y', JSON_LD, []).html, `<title>x</title>${JSON_LD}<body><p>y`);
  const { html, problems } = completePage('<p>y', JSON_LD, [COMMENT]);
  t.is(html, `<p>y${COMMENT}`);
  t.is(problems.length, 1);
  t.regex(problems[0] ?? '', /no <\/head>/);
});

test('completing a page twice changes it once, whatever it holds', (t) => {
  const tags = '<head> </head> <body> </body> </html> <!-- --> <script> </script> text " > \xff';
  const piece = fc.constantFrom('<p a="', JSON_LD, COMMENT, ...tags.split(' '));
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
        const once = completePage(pieces.join(''), JSON_LD, [COMMENT]);
        return completePage(once.html, JSON_LD, [COMMENT]).html === once.html;
      }),
    ),
  );
});

test('a page in UTF-16 is reported and stays as it is', (t) => {
  const utf16 = Buffer.from(`\ufeff${page('x')}`, 'utf16le').toString('latin1');
  const { html, problems } = completePage(utf16, '', [COMMENT]);
  t.is(html, utf16);
  t.deepEqual(problems, ['the page is in UTF-16; have the generator write it in UTF-8']);
});

const SITE_URL = 'https://example.com/base';

/** A built site, and the step after the build. */
function site(t: Parameters<typeof tempDir>[0], files: Record<string, string | Buffer>) {
  const dir = tempDir(t);
  const output = join(dir, 'public');
  writeFiles(output, files);
  const run = (...articles: Partial<BuiltArticle>[]) =>
    postbuild({
      siteUrl: SITE_URL,
      output,
      articles: articles.map((article) => ({
        path: 'soil.md',
        url: `${SITE_URL}/blog/soil/`,
        jsonLd: JSON_LD,
        comments: [COMMENT],
        state: 'live' as const,
        ...article,
      })),
    });
  return { dir, output, run, read: (name: string) => fs.readFileSync(join(output, name)) };
}

test('the page at an article’s URL is completed once, also of what is not live, and keeps its permissions; one without a page is missing or skipped', async (t) => {
  const { run, read, output } = site(t, {
    'blog/soil/index.html': page('<main></main>'),
    'blog/moss/index.html': page(''),
    'index.html': page(''),
  });
  const file = join(output, 'blog/soil/index.html');
  fs.chmodSync(file, 0o604);
  const report = await run(
    {},
    // Such as an article with `draft: true` where the generator knows no drafts.
    { state: 'draft', path: 'moss.md', url: `${SITE_URL}/blog/moss/` },
    { state: 'expired', path: 'old.md', url: `${SITE_URL}/blog/old/` },
    { path: 'new.md', url: `${SITE_URL}/blog/new/` },
    { path: 'out.md', url: `${SITE_URL}/../secret` },
  );
  t.like(report, { checked: 4, changed: 2, warnings: [] });
  t.like(report.missing, [
    { file: 'new.md', reason: 'the built site has no page at this URL' },
    { file: 'out.md', reason: `the URL is not below ${SITE_URL}` },
  ]);
  t.deepEqual(report.skipped, [{ file: 'old.md', url: `${SITE_URL}/blog/old/`, reason: 'expired' }]);
  const text = read('blog/soil/index.html').toString();
  t.true(text.includes(`${JSON_LD}</head>`) && text.includes(`</main>${COMMENT}</body>`));
  t.true(read('blog/moss/index.html').includes(`${JSON_LD}</head>`));
  const { ino, mode } = fs.statSync(file);
  t.is(mode & 0o777, 0o604);
  t.is((await run({})).changed, 0);
  t.is(fs.statSync(file).ino, ino);
  t.is(read('index.html').toString(), page(''));
  t.deepEqual(fs.readdirSync(join(output, 'blog/soil')), ['index.html']);
});

test('bytes that are not UTF-8 and letters of all alphabets stay as they are', async (t) => {
  const odd = (head: string) => {
    const bytes = Buffer.from([0xff, 0xfe, 0x00, 0x80]);
    return Buffer.concat([Buffer.from(`<html><head>${head}</head><body>`), bytes, Buffer.from('</body>')]);
  };
  const { run, read } = site(t, { 'blog/soil/index.html': odd('') });
  const jsonLd = '<script type="application/ld+json">{"headline":"土壌 🌱"}</script>';
  t.is((await run({ jsonLd, comments: [] })).changed, 1);
  t.deepEqual(read('blog/soil/index.html'), odd(jsonLd));
  t.is((await run({ jsonLd, comments: [] })).changed, 0);
});

test('nothing outside the output folder is written, and a link within it stays', async (t) => {
  const { dir, output, run, read } = site(t, { 'real/index.html': page('') });
  fs.writeFileSync(join(dir, 'private.html'), page(''));
  fs.symlinkSync('../private.html', join(output, 'soil.html'));
  const { missing } = await run({ url: `${SITE_URL}/soil` });
  t.regex(missing[0]?.reason ?? '', /symbolic link/);
  t.is(fs.readFileSync(join(dir, 'private.html'), 'utf8'), page(''));
  fs.symlinkSync('real', join(output, 'soil'));
  t.is((await run({ url: `${SITE_URL}/soil/` })).changed, 1);
  t.true(read('real/index.html').includes(JSON_LD));
  t.true(fs.lstatSync(join(output, 'soil')).isSymbolicLink());
});
