import { execFileSync } from 'node:child_process';
import test from 'ava';
import { nodeCommand, shellWord } from '../../../../src/generators/inspect/ask.js';
import { GENERATORS } from '../../../../src/generators/registry.js';
import { askedSite } from '../asked-site.js';

test('a folder with spaces, quotes or a dollar sign is one word of the shell', (t) => {
  t.is(shellWord('/tmp/a-b_c.d'), '/tmp/a-b_c.d');
  t.is(shellWord('/tmp/a b'), "'/tmp/a b'");
  t.is(shellWord("/tmp/it's $HOME"), "'/tmp/it'\\''s $HOME'");
});

test('what a site prints while it is asked, by whatever means, is not in the answer', (t) => {
  const script = `
import { execSync } from 'node:child_process';
process.stdout.write('from the configuration');
console.log('from a plugin');
execSync('echo from a program', { stdio: 'inherit' });
answer({ title: process.argv[1] });`;
  const command = nodeCommand(script, ['My garden']);
  t.is(execFileSync('sh', ['-c', command], { encoding: 'utf8', stdio: 'pipe' }), '{"title":"My garden"}');
});

for (const generator of GENERATORS)
  test(`${generator.name}: an answer that cannot be read is told in words, with the command and what it has printed`, async (t) => {
    const garbage = '{"a": Deprecated: use another option';
    const files = { 'package.json': '{"dependencies":{"next":"16"}}', 'content/a.md': '' };
    const site = askedSite(files, { ' ': garbage });
    const error = await t.throwsAsync(async () => generator.inspect(site), { code: 'BUILD_FAILED' });
    t.regex(
      error?.message ?? '',
      /^(?:node -e|hugo list all|ruby -e).* has printed no .*: "\{\\"a\\": Deprecated/,
    );
    const query = generator.addressQuery?.(site.files, {});
    if (query !== undefined)
      t.throws(() => query.parse(garbage, 'https://a.example'), { code: 'BUILD_FAILED' });
  });
