import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { articleFiles, readStored } from '../support/content.js';
import { bareEnvironment, PROGRAM } from '../support/receiver.js';
import { startHere } from '../support/receiver-here.js';
import { SECRET } from '../support/signer.js';
import { tempDir } from '../support/temp-dir.js';

const PAGE = fileURLToPath(new URL('../../../docs/sender.md', import.meta.url));

/** Every line of the page's shell blocks, in order, and its example of a Markdown file. */
function onPage(): { commands: string[]; example: string } {
  const page = fs.readFileSync(PAGE, 'utf8');
  const blocks = [...page.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, block]) => block ?? '');
  const commands = blocks.flatMap((block) => block.split('\n')).map((line) => line.trim());
  const example = /```markdown\n([\s\S]*?)```/.exec(page)?.[1];
  if (example === undefined) throw new Error('docs/sender.md has no example of a file');
  return { commands: commands.filter((line) => line !== ''), example };
}

test('every command of docs/sender.md does what the page says', async (t) => {
  const receiver = await startHere(t, {
    storeOnly: true,
    env: { PRESSMARK_SITE_URL: 'https://example.com' },
  });
  const { commands, example } = onPage();
  t.true(commands.length >= 8);
  const dir = tempDir(t);
  fs.mkdirSync(join(dir, 'posts'));
  fs.writeFileSync(join(dir, 'posts/bees.md'), example.replace('slug: keeping-bees\n', ''));
  fs.writeFileSync(join(dir, 'posts/wind.md'), '---\ntitle: Wind\n---\nText.\n');
  fs.writeFileSync(join(dir, 'secret.txt'), `${SECRET}\n`);
  // As `npx pressmark` would find it after an installation.
  const bin = tempDir(t);
  fs.writeFileSync(
    join(bin, 'npx'),
    `#!/bin/sh\n[ "$1" = pressmark ] || exit 9\nshift\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`,
    { mode: 0o755 },
  );
  for (const command of commands) {
    const line = command.replace('https://example.com/webhook', `${receiver.origin}/webhook`);
    const child = spawn('sh', ['-c', line], {
      cwd: dir,
      env: { ...bareEnvironment(), PATH: `${bin}:${process.env.PATH}` },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    await once(child, 'close');
    t.is(child.exitCode, 0, `${command}\n${output}`);
  }
  const stored = articleFiles(receiver.dir).map((path) => readStored(path).article);
  t.deepEqual(stored.map(({ title }) => title).sort(), ['Keeping bees on a balcony', 'Wind']);
  const bees = stored.find(({ title }) => title.startsWith('Keeping'));
  t.truthy(bees?.updated, 'the refresh has replaced it');
  t.regex(bees?.jsonLd ?? '', /"FAQPage".*"Do bees sting\?"/);
});
