import test from 'ava';
import { passedOn, shellWord } from '../../../src/generators/command-line.js';

test('a folder with spaces, quotes or a dollar sign is one word of the shell', (t) => {
  t.is(shellWord('/tmp/a-b_c.d'), '/tmp/a-b_c.d');
  t.is(shellWord('/tmp/a b'), "'/tmp/a b'");
  t.is(shellWord("/tmp/it's $HOME"), "'/tmp/it'\\''s $HOME'");
});

test('npm passes flags on behind --, other package managers and generators as they are', (t) => {
  t.is(passedOn('--out x', 'npm run build'), '-- --out x');
  t.is(passedOn('--out x', 'npm run build -- --quiet'), '--out x');
  for (const command of ['pnpm run build', 'yarn build', 'bun run build', 'npx astro build', 'hugo --minify'])
    t.is(passedOn('--out x', command), '--out x', command);
});
