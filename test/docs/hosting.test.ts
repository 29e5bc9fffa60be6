import fs from 'node:fs';
import test from 'ava';

const page = fs.readFileSync(new URL('../../../docs/hosting.md', import.meta.url), 'utf8');

test('one page has the configuration of nginx, one the systemd unit; the others link to it', (t) => {
  const folder = new URL('../../../docs/', import.meta.url);
  const pages = fs.readdirSync(folder).filter((name) => name.endsWith('.md'));
  const text = (name: string) => fs.readFileSync(new URL(name, folder), 'utf8');
  const withBlock = (language: string) =>
    pages.flatMap((name) =>
      text(name)
        .split('\n')
        .filter((line) => line === `\`\`\`${language}`)
        .map(() => name),
    );
  t.deepEqual(withBlock('nginx'), ['server.md']);
  t.deepEqual(withBlock('caddy'), ['server.md']);
  t.deepEqual(withBlock('ini'), ['server.md']);
});

const patterns = (line: string, option: string) =>
  [...line.matchAll(new RegExp(`--${option} '([^']+)'`, 'g'))].map(([, pattern = '']) => pattern);

test('the commands for S3 keep only files with hashed names for ever, and all others not', (t) => {
  const [forEver = '', others = '', gone = ''] = page.match(/^aws s3 sync .*$/gm) ?? [];
  t.true(forEver.includes("--cache-control 'public, max-age=31536000, immutable'"));
  t.deepEqual(patterns(forEver, 'exclude'), ['*']);
  t.deepEqual(patterns(forEver, 'include'), [
    'assets/style.*.css',
    'pagefind/fragment/*',
    'pagefind/index/*',
  ]);
  t.true(others.includes('--cache-control no-cache'));
  t.deepEqual(patterns(others, 'exclude'), patterns(forEver, 'include'));
  t.true(gone.endsWith(' --delete'));
});
