import test from 'ava';
import { passedOn, shellWord } from '../../../src/generators/command-line.js';

test('a folder with spaces, quotes or a dollar sign is one word of the shell', (t) => {
  t.is(shellWord('/tmp/a-b_c.d'), '/tmp/a-b_c.d');
  t.is(shellWord('/tmp/a b'), "'/tmp/a b'");
  t.is(shellWord("/tmp/it's $HOME"), "'/tmp/it'\\''s $HOME'");
});

test('npm passes flags on behind --, other package managers and generators as they are', (t) => {
  t.is(passedOn('--out x', 'npm run build', 'astro'), '-- --out x');
  t.is(passedOn('--out x', 'npm run build -- --quiet', 'astro'), '--out x');
  for (const command of [
    'pnpm run build',
    'yarn build',
    'bun run build',
    'npx astro build',
    'npx --yes astro@5 build',
    'MODE=a ./node_modules/.bin/astro build --silent',
    'npm run styles && npx astro build',
  ])
    t.is(passedOn('--out x', command, 'astro'), '--out x', command);
});

test('flags that would reach another program than the generator are left out', (t) => {
  const flags = (build: string, command = 'npm run build') =>
    passedOn('--out x', command, 'astro', { build });
  t.is(flags('astro check && astro build'), '-- --out x');
  t.is(flags('tsc; astro build', 'yarn build'), '--out x');
  for (const build of [
    'astro build && pagefind --site dist',
    'astro check && astro build && cp -r dist/pagefind public/',
    'npm-run-all clean build:*',
    'npm run clean && npm run build:site',
    'astro build | tee log',
    'node build.mjs',
  ]) {
    t.is(flags(build), '', build);
    t.is(flags(build, 'pnpm build'), '', build);
  }
  t.is(passedOn('--out x', 'npx astro build && npx pagefind --site dist', 'astro'), '');
});
