import fs from 'node:fs';
import { dirname, join, relative } from 'node:path';
import test from 'ava';
import { ownFiles, ROOT } from '../support/own-files.js';

/** The pages, relative to the root, with their texts. */
const PAGES = new Map(
  ['README.md', ...fs.readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`)]
    .filter((path) => path.endsWith('.md'))
    .map((path) => [path, fs.readFileSync(join(ROOT, path), 'utf8')]),
);

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(text: string): Set<string> {
  const headings = text.replace(/^ *```[\s\S]*?^ *```$/gm, '').matchAll(/^#+ (.+)$/gm);
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

test('every link of the docs leads to a page and a heading that are there', (t) => {
  for (const [path, text] of PAGES)
    for (const [, target = ''] of text.replace(/`[^`\n]*`/g, '``').matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:|^\//.test(target)) continue;
      const [file = '', anchor] = target.split('#');
      const linked = file === '' ? path : relative(ROOT, join(ROOT, dirname(path), file));
      t.true(fs.existsSync(join(ROOT, linked)), `${path}: ${target}`);
      const page = PAGES.get(linked);
      if (anchor !== undefined && page !== undefined)
        t.true(anchorsOf(page).has(anchor), `${path}: ${target}`);
    }
});

test('every page of the docs that the code names is there', (t) => {
  for (const path of ['src', 'test', 'examples'].flatMap(ownFiles))
    if (/^(?!test\/integration).*\.(?:ts|md|eta)$/.test(path))
      for (const [page] of fs.readFileSync(join(ROOT, path), 'utf8').matchAll(/\bdocs\/[a-z-]+\.md/g))
        t.true(PAGES.has(page), `${path}: ${page}`);
});

test('one page has the configuration of web servers and the systemd unit; the others link to it', (t) => {
  for (const language of ['nginx', 'caddy', 'ini'])
    t.deepEqual(
      [...PAGES].flatMap(([path, text]) => (text.includes(`\n\`\`\`${language}\n`) ? [path] : [])),
      ['docs/server.md'],
      language,
    );
});

test('the commands for S3 keep only files with hashed names for ever', (t) => {
  const page = PAGES.get('docs/hosting.md') ?? '';
  const [forEver = '', others = '', gone] = page.match(/^aws s3 sync .*$/gm) ?? [];
  const hashed = ['assets/style.*.css', 'pagefind/fragment/*', 'pagefind/index/*'];
  const to = 'aws s3 sync public s3://example-bucket';
  const each = (option: string) => hashed.map((pattern) => ` --${option} '${pattern}'`).join('');
  const immutable = "--cache-control 'public, max-age=31536000, immutable'";
  t.is(forEver, `${to} --exclude '*'${each('include')} ${immutable}`);
  t.is(others, `${to}${each('exclude')} --cache-control no-cache`);
  t.is(gone, `${to} --delete`);
});
