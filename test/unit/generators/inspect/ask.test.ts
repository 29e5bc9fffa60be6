import test from 'ava';
import { shellWord } from '../../../../src/generators/inspect/ask.js';

test('a folder with spaces, quotes or a dollar sign is one word of the shell', (t) => {
  t.is(shellWord('/tmp/a-b_c.d'), '/tmp/a-b_c.d');
  t.is(shellWord('/tmp/a b'), "'/tmp/a b'");
  t.is(shellWord("/tmp/it's $HOME"), "'/tmp/it'\\''s $HOME'");
});
